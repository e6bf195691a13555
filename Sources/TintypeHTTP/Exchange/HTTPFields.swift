import NIOHTTP1

/// The header fields of a request or a response, in order. Names are case-insensitive (RFC 9110, 5.1).
///
/// Looking up a name is O(*n*). Two values are equal when they have the same fields in any order.
public struct HTTPFields: Sendable, ExpressibleByDictionaryLiteral {
    var nioHeaders: HTTPHeaders

    /// Creates an empty list of fields.
    public init() {
        nioHeaders = HTTPHeaders()
    }

    /// Creates a list of fields from names and values.
    public init(dictionaryLiteral fields: (String, String)...) {
        nioHeaders = HTTPHeaders(fields)
    }

    /// Creates a list of fields from names and values.
    public init(_ fields: [(name: String, value: String)]) {
        nioHeaders = HTTPHeaders(fields.map { ($0.name, $0.value) })
    }

    init(_ nioHeaders: HTTPHeaders) {
        self.nioHeaders = nioHeaders
    }

    /// The value of the first field with a name. Setting it replaces all fields with that name; `nil` removes them.
    public subscript(_ name: String) -> String? {
        get { nioHeaders.first(name: name) }
        set {
            guard let newValue else { return nioHeaders.remove(name: name) }
            nioHeaders.replaceOrAdd(name: name, value: newValue)
        }
    }

    /// Returns the elements of all fields with a name, separated at commas outside of quotes (RFC 9110, 5.6.1).
    public func list(_ name: String) -> [String] {
        // Most names are absent, and `nioHeaders` would still allocate a list of their values.
        guard nioHeaders.contains(name: name) else { return [] }
        return nioHeaders[name].flatMap { HTTPList.elements($0) }
    }

    /// Returns the values of all fields with a name, unparsed.
    public func values(_ name: String) -> [String] { nioHeaders[name] }

    /// Whether there is a field with a name.
    public func contains(_ name: String) -> Bool { nioHeaders.contains(name: name) }

    /// Adds a field after all others, in addition to others with the same name.
    public mutating func add(_ name: String, _ value: String) {
        nioHeaders.add(name: name, value: value)
    }

    /// Adds the fields whose names are absent, sorted by name.
    mutating func addMissing(_ fields: [String: String]) {
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) where !contains(name) { add(name, value) }
    }

    /// Adds the fields whose names are absent.
    mutating func addMissing(_ fields: HTTPFields) {
        guard !nioHeaders.isEmpty else { return self = fields }
        let present = self
        for (name, value) in fields.nioHeaders where !present.contains(name) { add(name, value) }
    }

    /// Replaces all fields that have the names of other fields.
    mutating func replace(with fields: HTTPFields) {
        for (name, _) in fields.nioHeaders { nioHeaders.remove(name: name) }
        for (name, value) in fields.nioHeaders { add(name, value) }
    }

    /// Returns the fields whose names match, in order.
    func filter(_ isIncluded: (String) -> Bool) -> HTTPFields {
        var included = HTTPFields()
        included.nioHeaders.reserveCapacity(nioHeaders.count)
        for (name, value) in nioHeaders where isIncluded(name) { included.add(name, value) }
        return included
    }

    /// All fields, in order.
    public var all: [(name: String, value: String)] { nioHeaders.map { ($0.name, $0.value) } }

    /// The fields with lowercase names, sorted: equal for equal lists.
    var canonical: [String] { nioHeaders.map { "\($0.name.lowercased()): \($0.value)" }.sorted() }
}

extension HTTPFields: Hashable {
    /// Returns whether two lists have the same fields, regardless of their order and the case of their names. O(n log n).
    public static func == (left: HTTPFields, right: HTTPFields) -> Bool { left.canonical == right.canonical }

    /// Hashes the fields, regardless of their order and the case of their names. O(n log n).
    public func hash(into hasher: inout Hasher) { hasher.combine(canonical) }
}

/// Parses the values of header fields.
enum HTTPList {
    /// Returns the elements of a list, without empty ones and surrounding white space. Separators in quotes do not
    /// count (RFC 9110, 5.6.1 and 5.6.4).
    static func elements(_ value: String, separator: Character = ",") -> [String] {
        var elements: [String] = []
        var element = ""
        var isQuoted = false
        var isEscaped = false
        for character in value {
            if character == separator, !isQuoted {
                elements.append(element)
                element = ""
                continue
            }
            if character == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && character == "\\" && !isEscaped
            element.append(character)
        }
        return (elements + [element]).map(trimmed).filter { !$0.isEmpty }
    }

    /// Returns a value without its quotes, if it has any.
    static func unquoted(_ value: String) -> String {
        guard value.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") else { return value }
        return String(value.dropFirst().dropLast()).replacing("\\\"", with: "\"")
    }

    /// Returns a text without spaces and tabs at its ends.
    static func trimmed(_ text: some StringProtocol) -> String {
        let end = text.lastIndex { $0 != " " && $0 != "\t" }
        guard let start = text.firstIndex(where: { $0 != " " && $0 != "\t" }), let end else { return "" }
        return String(text[start...end])
    }
}

/// Media types (RFC 9110, 8.3.1).
enum MediaType {
    /// Whether a `Content-Type` value matches one of some types. `image/*` matches all images, `*/*` everything;
    /// parameters are ignored.
    static func matches(_ contentType: String, _ types: Set<String>) -> Bool {
        let type = HTTPList.trimmed(contentType.prefix { $0 != ";" }).lowercased()
        let family = type.prefix { $0 != "/" }
        return types.contains { $0.lowercased() == type || $0.lowercased() == "\(family)/*" || $0 == "*/*" }
    }
}
