package import Foundation

/// The header fields of a request or a response, in order. Names are case-insensitive (RFC 9110, 5.1).
///
/// Looking up a name is O(*n*). Two values are equal when they have the same fields in any order.
public struct HTTPFields: Sendable, ExpressibleByDictionaryLiteral {
    /// All fields, in order.
    public private(set) var all: [(name: String, value: String)] = []

    /// Creates an empty list of fields.
    package init() {}

    /// Creates a list of fields from names and values.
    public init(dictionaryLiteral fields: (String, String)...) {
        all = fields.map { (name: $0.0, value: $0.1) }
    }

    /// Creates a list of fields from names and values.
    public init(_ fields: [(name: String, value: String)]) {
        all = fields
    }

    /// The value of the first field with a name. Setting it replaces all fields with that name; `nil` removes them.
    public subscript(_ name: String) -> String? {
        get { all.first { Self.isSame($0.name, name) }?.value }
        set {
            all.removeAll { Self.isSame($0.name, name) }
            if let newValue { add(name: name, value: newValue) }
        }
    }

    /// Returns the elements of all fields with a name, separated at commas outside of quotes (RFC 9110, 5.6.1).
    package func list(_ name: String) -> [String] {
        // Most names are absent.
        guard contains(name) else { return [] }
        return values(name).flatMap { HTTPList.elements($0) }
    }

    /// Returns the values of all fields with a name, unparsed.
    public func values(_ name: String) -> [String] {
        guard contains(name) else { return [] }
        return all.filter { Self.isSame($0.name, name) }.map(\.value)
    }

    /// Whether there is a field with a name.
    package func contains(_ name: String) -> Bool { all.contains { Self.isSame($0.name, name) } }

    /// Adds a field after all others, in addition to others with the same name.
    package mutating func add(name: String, value: String) {
        all.append((name, value))
    }

    /// Adds the fields whose names are absent, sorted by name.
    mutating func addMissing(_ fields: [String: String]) {
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) where !contains(name) {
            add(name: name, value: value)
        }
    }

    /// Adds the fields whose names are absent.
    mutating func addMissing(_ fields: HTTPFields) {
        guard !all.isEmpty else { return self = fields }
        let present = self
        for (name, value) in fields.all where !present.contains(name) { add(name: name, value: value) }
    }

    /// Replaces this list's fields that have the name of a field in `fields`, and adds the rest of `fields`.
    mutating func replace(with fields: HTTPFields) {
        all.removeAll { fields.contains($0.name) }
        all += fields.all
    }

    /// Returns the fields whose names match, in order.
    func filter(_ isIncluded: (String) -> Bool) -> HTTPFields {
        HTTPFields(all.filter { isIncluded($0.name) })
    }

    /// What makes the fields unfit for a request; `nil` for nothing. A name is a token, and a value has no control
    /// characters except tabs (RFC 9110, 5.5).
    package var problem: String? {
        for (name, value) in all {
            guard !name.isEmpty else { return "a header field without a name" }
            guard name.utf8.span.allSatisfy(Self.isToken) else { return "an invalid name of a header field" }
            guard value.utf8.span.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                return "an invalid value of the header field \(name)"
            }
        }
        return nil
    }

    /// Compares two names, ignoring the case of ASCII letters. Allocates nothing.
    static func isSame(_ left: String, _ right: String) -> Bool {
        guard left.utf8.count == right.utf8.count else { return false }
        let left = left.utf8.span
        let right = right.utf8.span
        for index in left.indices where lowercase(left[index]) != lowercase(right[index]) { return false }
        return true
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

    /// Returns the value of a field of a response that a later request sends back, such as `ETag`; `nil` if a request
    /// cannot carry it: the client refuses control characters, and servers refuse long values. O(length of the value).
    func returnable(_ name: String) -> String? {
        guard let value = self[name], value.utf8.count <= Self.maximumReturnableByteCount,
            value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { return nil }
        return value
    }

    /// Servers accept 8 KB of fields in a request, or more.
    private static let maximumReturnableByteCount = 2048

    /// The number of bytes of all names and values.
    var byteCount: Int { all.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count } }

    /// The fields with lowercase names, sorted: equal for equal lists.
    var canonical: [String] { all.map { "\($0.name.lowercased()): \($0.value)" }.sorted() }
}

extension HTTPFields: Hashable {
    /// Returns whether two lists have the same fields, regardless of their order and the case of their names. O(n log
    /// n).
    public static func == (left: HTTPFields, right: HTTPFields) -> Bool { left.canonical == right.canonical }

    /// Hashes the fields, regardless of their order and the case of their names. O(n log n).
    public func hash(into hasher: inout Hasher) { hasher.combine(canonical) }
}

/// Parses the values of header fields.
package enum HTTPList {
    /// Returns the elements of a list, without empty ones and surrounding white space. Separators in quotes do not
    /// count (RFC 9110, 5.6.1 and 5.6.4).
    package static func elements(_ value: String, separator: Character = ",") -> [String] {
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

    /// Returns a value without its quotes, if it has any. A backslash in them stands for the character after it (RFC
    /// 9110, 5.6.4).
    package static func unquoted(_ value: String) -> String {
        guard value.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") else { return value }
        var (text, isEscaped) = ("", false)
        for character in value.dropFirst().dropLast() {
            isEscaped = character == "\\" && !isEscaped
            if !isEscaped { text.append(character) }
        }
        return text
    }

    /// Returns a text without spaces and tabs at its ends.
    package static func trimmed(_ text: some StringProtocol) -> String {
        let end = text.lastIndex { $0 != " " && $0 != "\t" }
        guard let start = text.firstIndex(where: { $0 != " " && $0 != "\t" }), let end else { return "" }
        return String(text[start...end])
    }
}

/// Media types (RFC 9110, 8.3.1).
enum MediaType {
    /// Whether a `Content-Type` value matches a set of media types. `image/*` matches all images, `*/*` everything;
    /// parameters are ignored.
    static func matches(_ contentType: String, _ types: Set<String>) -> Bool {
        let type = HTTPList.trimmed(contentType.prefix { $0 != ";" }).lowercased()
        let family = type.prefix { $0 != "/" }
        return types.contains { $0.lowercased() == type || $0.lowercased() == "\(family)/*" || $0 == "*/*" }
    }
}

/// Dates in header fields (RFC 9110, 5.6.7).
///
/// A date in any other form is invalid, because each use has a safe answer for an invalid date: for example, a response
/// with an invalid `Expires` field is stale (RFC 9111, 5.3).
package enum HTTPDate {
    /// Parses the three formats that recipients must accept, in any case; returns `nil` for anything else.
    ///
    /// The weekday need not be that of the date.
    package static func parse(_ text: String) -> Date? {
        let reader = DateReader(text)
        return fixedDate(reader) ?? rfc850Date(reader) ?? asctimeDate(reader)
    }

    private static let days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    private static let longDays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    /// IMF-fixdate: `Sun, 06 Nov 1994 08:49:37 GMT`.
    private static func fixedDate(_ reader: DateReader) -> Date? {
        var reader = reader
        guard reader.name(in: days) != nil, reader.skip(", "), let day = reader.number(digits: 2), reader.skip(" "),
            let month = reader.name(in: months), reader.skip(" "), let year = reader.number(digits: 4),
            reader.skip(" "), let seconds = reader.secondsOfDay(), reader.skip(" gmt"), reader.isAtEnd
        else { return nil }
        return date(year: year, month: month + 1, day: day, seconds)
    }

    /// The obsolete form of RFC 850: `Sunday, 06-Nov-94 08:49:37 GMT`.
    private static func rfc850Date(_ reader: DateReader) -> Date? {
        var reader = reader
        guard reader.name(in: longDays) != nil, reader.skip(", "), let day = reader.number(digits: 2),
            reader.skip("-"), let month = reader.name(in: months), reader.skip("-"),
            let year = reader.number(digits: 2), reader.skip(" "), let seconds = reader.secondsOfDay(),
            reader.skip(" gmt"), reader.isAtEnd
        else { return nil }
        return date(year: fullYear(year), month: month + 1, day: day, seconds)
    }

    /// The obsolete form of asctime(): `Sun Nov  6 08:49:37 1994`.
    private static func asctimeDate(_ reader: DateReader) -> Date? {
        var reader = reader
        guard reader.name(in: days) != nil, reader.skip(" "), let month = reader.name(in: months), reader.skip(" "),
            let day = reader.skip(" ") ? reader.number(digits: 1) : reader.number(digits: 2), reader.skip(" "),
            let seconds = reader.secondsOfDay(), reader.skip(" "), let year = reader.number(digits: 4),
            reader.isAtEnd
        else { return nil }
        return date(year: year, month: month + 1, day: day, seconds)
    }

    /// The year of two digits, from 1970 to 2069.
    ///
    /// A date more than 50 years in the future is in the past (RFC 9110, 5.6.7). A fixed limit needs no clock, and
    /// reads `01-Jan-70`, which servers send for "expired", as intended.
    private static func fullYear(_ year: Int) -> Int { year < 70 ? 2000 + year : 1900 + year }

    /// Returns the date, or `nil` if the month has no such day.
    static func date(year: Int, month: Int, day: Int, _ secondsOfDay: Int) -> Date? {
        guard (1...12).contains(month), (1...length(of: month, in: year)).contains(day) else { return nil }
        let days = daysSinceEpoch(year: year, month: month, day: day)
        return Date(timeIntervalSince1970: Double(days * 86_400 + secondsOfDay))
    }

    private static func length(of month: Int, in year: Int) -> Int {
        let isLeapYear = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }

    /// Returns the days since 1970-01-01 (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
    private static func daysSinceEpoch(year: Int, month: Int, day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}

/// Reads the parts of a date from left to right. Letters compare in any case.
private struct DateReader {
    private var rest: ArraySlice<UInt8>

    init(_ text: String) {
        rest = ArraySlice(text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 })
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// Reads a text in lowercase, and returns whether it was there.
    mutating func skip(_ text: String) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        rest = rest.dropFirst(text.utf8.count)
        return true
    }

    /// Reads one of some names in lowercase, and returns its index.
    mutating func name(in names: [String]) -> Int? {
        guard let index = names.firstIndex(where: { rest.starts(with: $0.utf8) }) else { return nil }
        rest = rest.dropFirst(names[index].utf8.count)
        return index
    }

    /// Reads a number with exactly this many ASCII digits.
    mutating func number(digits: Int) -> Int? {
        let text = rest.prefix(digits)
        guard text.count == digits, text.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        rest = rest.dropFirst(digits)
        return text.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// Reads a time such as `08:49:37`, and returns the seconds since midnight. A leap second has the number 60.
    mutating func secondsOfDay() -> Int? {
        guard let hour = number(digits: 2), skip(":"), let minute = number(digits: 2), skip(":"),
            let second = number(digits: 2), hour < 24, minute < 60, second <= 60
        else { return nil }
        return (hour * 60 + minute) * 60 + second
    }
}

extension Span<UInt8> {
    /// Whether all bytes satisfy a condition. Faster than the same for a view of a string.
    func allSatisfy(_ condition: (UInt8) -> Bool) -> Bool {
        for index in indices where !condition(self[index]) { return false }
        return true
    }
}
