import NIOHTTP1

/// The header fields of a request or a response, in their order. Names are compared without case (RFC 9110, 5.1).
public struct HTTPFields: Sendable, ExpressibleByDictionaryLiteral {
    var nioHeaders: HTTPHeaders

    public init() {
        nioHeaders = HTTPHeaders()
    }

    public init(dictionaryLiteral fields: (String, String)...) {
        nioHeaders = HTTPHeaders(fields)
    }

    init(_ nioHeaders: HTTPHeaders) {
        self.nioHeaders = nioHeaders
    }

    /// The value of the first field of a name; setting it replaces all of that name, and `nil` removes them.
    public subscript(_ name: String) -> String? {
        get { nioHeaders.first(name: name) }
        set {
            guard let newValue else { return nioHeaders.remove(name: name) }
            nioHeaders.replaceOrAdd(name: name, value: newValue)
        }
    }

    /// The values of a name that is a list, taken apart at commas outside quotes (RFC 9110, 5.6.1).
    public func list(_ name: String) -> [String] {
        // Most names that are asked for are not there, and the empty list of their values would still be made.
        guard nioHeaders.contains(name: name) else { return [] }
        return nioHeaders[name].flatMap { HTTPList.elements($0) }
    }

    /// The values of every field of a name, each as it came.
    public func values(_ name: String) -> [String] { nioHeaders[name] }

    public func contains(_ name: String) -> Bool { nioHeaders.contains(name: name) }

    public mutating func add(_ name: String, _ value: String) {
        nioHeaders.add(name: name, value: value)
    }

    /// Adds those fields whose names are not there yet, in the order of their names.
    mutating func addMissing(_ fields: [String: String]) {
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) where !contains(name) { add(name, value) }
    }

    /// Adds those fields whose names are not there yet.
    mutating func addMissing(_ fields: HTTPFields) {
        guard !nioHeaders.isEmpty else { return self = fields }
        let named = self
        for (name, value) in fields.nioHeaders where !named.contains(name) { add(name, value) }
    }

    /// Puts those of other fields in the place of its own of the same names.
    mutating func replace(with fields: HTTPFields) {
        for (name, _) in fields.nioHeaders { nioHeaders.remove(name: name) }
        for (name, value) in fields.nioHeaders { add(name, value) }
    }

    /// Those whose names are wanted, in order.
    func filter(_ isWanted: (String) -> Bool) -> HTTPFields {
        var wanted = HTTPFields()
        wanted.nioHeaders.reserveCapacity(nioHeaders.count)
        for (name, value) in nioHeaders where isWanted(name) { wanted.add(name, value) }
        return wanted
    }

    /// Every field, in order.
    public var all: [(name: String, value: String)] { nioHeaders.map { ($0.name, $0.value) } }

    /// Names in lower case with their values, sorted: the same for fields that mean the same.
    var canonical: [String] { nioHeaders.map { "\($0.name.lowercased()): \($0.value)" }.sorted() }
}

extension HTTPFields: Hashable {
    public static func == (left: HTTPFields, right: HTTPFields) -> Bool { left.canonical == right.canonical }

    public func hash(into hasher: inout Hasher) { hasher.combine(canonical) }
}

/// Lists in header fields.
enum HTTPList {
    /// The elements of a value, without empty ones and the white space around them; commas in quotes do not count
    /// (RFC 9110, 5.6.1 and 5.6.4).
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

    /// A value without the quotes around it, if there are any.
    static func unquoted(_ value: String) -> String {
        guard value.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") else { return value }
        return String(value.dropFirst().dropLast()).replacing("\\\"", with: "\"")
    }

    static func trimmed(_ text: some StringProtocol) -> String {
        let end = text.lastIndex { $0 != " " && $0 != "\t" }
        guard let start = text.firstIndex(where: { $0 != " " && $0 != "\t" }), let end else { return "" }
        return String(text[start...end])
    }
}

/// Media types (RFC 9110, 8.3.1).
enum MediaType {
    /// Whether a `Content-Type` is one of some types, of which `image/*` stands for all pictures. Parameters do not
    /// count.
    static func matches(_ contentType: String, _ types: Set<String>) -> Bool {
        let type = HTTPList.trimmed(contentType.prefix { $0 != ";" }).lowercased()
        let family = type.prefix { $0 != "/" }
        return types.contains { $0.lowercased() == type || $0.lowercased() == "\(family)/*" || $0 == "*/*" }
    }
}
