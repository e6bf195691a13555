/// Reads the commands and numbers of path data one by one (SVG 2, 9.3.9).
struct SVGNumberScanner {
    private var rest: ArraySlice<UInt8>

    init(_ text: ArraySlice<UInt8>) {
        rest = text
    }

    /// Returns the letter that follows, or `nil` at the end and at anything else.
    mutating func command() -> UInt8? {
        skipSeparators()
        guard let byte = rest.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) else { return nil }
        rest = rest.dropFirst()
        return byte
    }

    /// Returns the number that follows, or `nil` if there is none.
    mutating func number() -> Double? {
        skipSeparators()
        var end = rest.startIndex
        func digits() { while end < rest.endIndex, Self.isDigit(rest[end]) { end += 1 } }
        func sign() { if end < rest.endIndex, Self.signs.contains(rest[end]) { end += 1 } }
        sign()
        digits()
        if end < rest.endIndex, rest[end] == UInt8(ascii: ".") { end += 1 }
        digits()
        let mantissaEnd = end
        if end < rest.endIndex, rest[end] | 0x20 == UInt8(ascii: "e") {
            end += 1
            sign()
            // In "1em", the letter begins a unit.
            if end < rest.endIndex, Self.isDigit(rest[end]) { digits() } else { end = mantissaEnd }
        }
        guard let value = Double(String(decoding: rest[..<end], as: UTF8.self)) else { return nil }
        rest = rest[end...]
        return value
    }

    /// Reads a flag of an arc, a single digit that needs no separator, and returns whether there is one.
    mutating func arcFlag() -> Bool {
        skipSeparators()
        guard let byte = rest.first, byte == UInt8(ascii: "0") || byte == UInt8(ascii: "1") else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Returns the unit that follows the number just read, in lowercase; empty if there is none.
    mutating func unit() -> String {
        let unit = rest.prefix {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) || $0 == UInt8(ascii: "%")
        }
        rest = rest[unit.endIndex...]
        return String(decoding: unit.prefix(4), as: UTF8.self).lowercased()
    }

    /// Whether nothing but separators follows.
    mutating func isAtEnd() -> Bool {
        skipSeparators()
        return rest.isEmpty
    }

    private static let signs = Array("+-".utf8)

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private mutating func skipSeparators() {
        rest = rest.drop { $0 <= 0x20 || $0 == UInt8(ascii: ",") }
    }
}

/// Lists of numbers, as in the data of a path (SVG 2, 9.3).
enum SVGNumbers {
    /// Returns the number of numbers. The result may be too high, never too low.
    static func count(in text: ArraySlice<UInt8>) -> Int {
        var (count, isInside) = (0, false)
        for byte in text {
            // A sign or a second point begins another number.
            let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            if isDigit && !isInside || byte == UInt8(ascii: ".") && isInside { count += 1 }
            isInside = isDigit
        }
        return count
    }

    /// Returns the number of commands that close a part of a path, which have no numbers.
    static func closeCount(in path: ArraySlice<UInt8>) -> Int {
        path.count { $0 | 0x20 == UInt8(ascii: "z") }
    }

    /// Returns numbers separated by white space or commas; empty if anything else is among them.
    static func values(in text: ArraySlice<UInt8>) -> [Double] {
        let words = text.split { $0 <= 0x20 || $0 == UInt8(ascii: ",") }
        let values = words.prefix(3).compactMap { Double(String(decoding: $0, as: UTF8.self)) }
        return values.count == words.count ? values : []
    }
}
