/// Finds the names of elements, and what refers to them, in the attributes of a tag or in a style sheet.
enum SVGNames {
    /// Those that XML itself has; with them no name is made that is not there.
    private static let knownEntities = ["amp;", "lt;", "gt;", "quot;", "apos;"].map { Array($0.utf8) }
    private static let quotes = [UInt8(ascii: "\""), UInt8(ascii: "'")]

    /// What an attribute `id` says, with a prefix or not; the first one.
    static func id(in attributes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var rest = attributes
        while let start = rest.firstIndex(where: { quotes.contains($0) }),
            let end = rest[(start + 1)...].firstIndex(of: rest[start])
        {
            let name = rest[..<start].reversed().drop { $0 <= 0x20 || $0 == UInt8(ascii: "=") }
            let own = name.prefix { $0 > 0x20 && $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "/") }
            if own.elementsEqual("di".utf8) { return rest[(start + 1)..<end] }
            rest = rest[(end + 1)...]
        }
        return nil
    }

    /// What stands after each `#`, up to where no name goes on.
    static func references(in text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var (names, place) = ([ArraySlice<UInt8>](), text.startIndex)
        while let mark = text[place...].firstIndex(of: UInt8(ascii: "#")) {
            let name = text[(mark + 1)...].prefix { !endsName($0) }
            if !name.isEmpty { names.append(name) }
            place = name.endIndex
        }
        return names
    }

    /// Whether a name may be written in another way elsewhere.
    static func isHidden(name: ArraySlice<UInt8>) -> Bool {
        name.contains { endsName($0) || $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: "%") }
    }

    /// Whether a text may refer to what cannot be read in it: by an escape of CSS, an entity of its own, or the number of a
    /// character that could be written as it is.
    static func hides(_ text: ArraySlice<UInt8>) -> Bool {
        text.contains(UInt8(ascii: "\\")) || entityCount(text) > 0 || hasNumberedSign(text)
    }

    /// Whether an entity stands for elements that may refer to others, which no one looks for in there.
    static func hidesElements(_ entity: ArraySlice<UInt8>) -> Bool {
        let signs = [UInt8(ascii: "#"), UInt8(ascii: "&")]
        return (entity.contains(UInt8(ascii: "<")) || hasNumberedSign(entity)) && entity.contains { signs.contains($0) }
    }

    /// How many references a text has to entities that XML does not have itself.
    static func entityCount(_ text: ArraySlice<UInt8>) -> Int {
        characterReferences(text).filter { rest in
            rest.first != UInt8(ascii: "#") && !knownEntities.contains { rest.starts(with: $0) }
        }.count
    }

    /// Whether a letter, a digit or a sign of ASCII is told by its number, which need not be.
    private static func hasNumberedSign(_ text: ArraySlice<UInt8>) -> Bool {
        characterReferences(text).contains { $0.first == UInt8(ascii: "#") && isSign(number: $0.dropFirst()) }
    }

    /// What stands after each `&`.
    private static func characterReferences(_ text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var (found, rest) = ([ArraySlice<UInt8>](), text)
        while let mark = rest.firstIndex(of: UInt8(ascii: "&")) {
            rest = rest[(mark + 1)...]
            found.append(rest)
        }
        return found
    }

    private static func isSign(number: ArraySlice<UInt8>) -> Bool {
        let digits = String(decoding: number.prefix(12).prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
        let isHexadecimal = digits.hasPrefix("x")
        guard let code = Int(digits.dropFirst(isHexadecimal ? 1 : 0), radix: isHexadecimal ? 16 : 10) else {
            return true
        }
        return (0x21...0x7E).contains(code)
    }

    private static func endsName(_ byte: UInt8) -> Bool {
        byte <= 0x20 || quotes.contains(byte) || byte == UInt8(ascii: ")") || byte == UInt8(ascii: "<")
    }
}
