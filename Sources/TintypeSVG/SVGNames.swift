/// Finds the names of elements, and references to them, in the attributes of a tag or in a style sheet.
enum SVGNames {
    /// The entities that XML predefines. They cannot hide a name.
    private static let predefinedEntities = ["amp;", "lt;", "gt;", "quot;", "apos;"].map { Array($0.utf8) }
    private static let quotes = [UInt8(ascii: "\""), UInt8(ascii: "'")]

    /// Returns the name after each `#`.
    static func references(in text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var (names, position) = ([ArraySlice<UInt8>](), text.startIndex)
        while let mark = text[position...].firstIndex(of: UInt8(ascii: "#")) {
            let name = text[(mark + 1)...].prefix { !endsName($0) }
            if !name.isEmpty { names.append(name) }
            position = name.endIndex
        }
        return names
    }

    /// Returns whether a name may be written differently elsewhere.
    static func isObfuscated(name: ArraySlice<UInt8>) -> Bool {
        name.contains { endsName($0) || $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: "%") }
    }

    /// Returns whether a text may contain a reference that cannot be read from its bytes.
    ///
    /// It may be written with a CSS escape, an entity that the document declares, or the number of a plain ASCII
    /// character.
    static func hasObfuscatedReference(_ text: ArraySlice<UInt8>) -> Bool {
        text.contains(UInt8(ascii: "\\")) || entityCount(text) > 0 || hasNumberedASCIICharacter(text)
    }

    /// Returns whether the text of an entity contains elements that may refer to others. References inside entities are
    /// not searched.
    static func containsReferencingElements(_ entity: ArraySlice<UInt8>) -> Bool {
        let markers = [UInt8(ascii: "#"), UInt8(ascii: "&")]
        return (entity.contains(UInt8(ascii: "<")) || hasNumberedASCIICharacter(entity))
            && entity.contains { markers.contains($0) }
    }

    /// Returns the number of references to entities that XML does not predefine.
    static func entityCount(_ text: ArraySlice<UInt8>) -> Int {
        characterReferences(text).filter { rest in
            rest.first != UInt8(ascii: "#") && !predefinedEntities.contains { rest.starts(with: $0) }
        }.count
    }

    /// Returns whether a printable ASCII character is written as its number, which is never necessary.
    private static func hasNumberedASCIICharacter(_ text: ArraySlice<UInt8>) -> Bool {
        characterReferences(text).contains { $0.first == UInt8(ascii: "#") && isASCIICharacter(number: $0.dropFirst()) }
    }

    /// Returns the text after each `&`.
    private static func characterReferences(_ text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var (references, rest) = ([ArraySlice<UInt8>](), text)
        while let mark = rest.firstIndex(of: UInt8(ascii: "&")) {
            rest = rest[(mark + 1)...]
            references.append(rest)
        }
        return references
    }

    private static func isASCIICharacter(number: ArraySlice<UInt8>) -> Bool {
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
