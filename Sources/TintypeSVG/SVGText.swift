/// The text of attributes and style sheets, with what is written in another way resolved.
enum SVGText {
    /// Returns text with character references (XML 1.0, 4.1) replaced. White space becomes a space (3.3.3), or nothing
    /// if it is written as a reference.
    ///
    /// - Parameters:
    ///   - text: The value of an attribute, or the text of an element.
    ///   - replacement: Returns the text of an entity that the document declares.
    static func resolved(
        _ text: ArraySlice<UInt8>, replacing replacement: (ArraySlice<UInt8>) -> [UInt8]
    ) -> [UInt8] {
        var (result, position) = ([UInt8](), text.startIndex)
        result.reserveCapacity(text.count)
        while position < text.endIndex {
            let byte = text[position]
            position += 1
            guard byte == UInt8(ascii: "&") else {
                result.append(max(byte, 0x20))
                continue
            }
            let name = text[position...].prefix { $0 != UInt8(ascii: ";") }
            position = min(name.endIndex + 1, text.endIndex)
            result += character(of: name).map { $0 >= 0x20 ? [$0] : [] } ?? replacement(name)
        }
        return result
    }

    private static let predefined: [String: UInt8] = [
        "amp": UInt8(ascii: "&"), "lt": UInt8(ascii: "<"), "gt": UInt8(ascii: ">"), "quot": UInt8(ascii: "\""),
        "apos": UInt8(ascii: "'"),
    ]

    /// Returns the character of a reference, 0xFF for one beyond ASCII, or `nil` for an entity.
    private static func character(of name: ArraySlice<UInt8>) -> UInt8? {
        let text = String(decoding: name.prefix(12), as: UTF8.self)
        guard text.hasPrefix("#") else { return predefined[text] }
        let isHexadecimal = text.dropFirst().hasPrefix("x")
        let code = Int(text.dropFirst(isHexadecimal ? 2 : 1), radix: isHexadecimal ? 16 : 10)
        return code.map { (0...0x7E).contains($0) ? UInt8($0) : 0xFF } ?? 0xFF
    }

    /// Returns text with the escapes of CSS (CSS Syntax 3, 4.3.7) replaced, and without white space.
    static func plainCSS(_ text: [UInt8]) -> [UInt8] {
        guard text.contains(UInt8(ascii: "\\")) else { return text.filter { $0 > 0x20 } }
        var (result, rest) = ([UInt8](), text[...])
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                result.append(byte)
                continue
            }
            let digits = rest.prefix(6).prefix { Character(Unicode.Scalar($0)).isHexDigit }
            rest = rest[digits.endIndex...]
            let code = Int(String(decoding: digits, as: UTF8.self), radix: 16)
            // Without digits the next byte stands for itself.
            if let code { result.append((0...0x7E).contains(code) ? UInt8(code) : 0xFF) }
        }
        return result.filter { $0 > 0x20 }
    }

    /// Returns whether plain text refers to an element of a document that a `data:` URL contains: a reference to an
    /// element needs a fragment. Fonts and images have none.
    static func refersToEmbeddedDocument(_ text: [UInt8]) -> Bool {
        var rest = text[...]
        while let start = firstRange(of: dataScheme, in: rest) {
            let quote = rest[..<start].last
            let isQuoted = quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
            let url = rest[start...].prefix { $0 != (isQuoted ? quote : UInt8(ascii: ")")) }
            if url.contains(UInt8(ascii: "#")) { return true }
            rest = rest[(start + dataScheme.count)...]
        }
        return false
    }

    /// Returns whether a plain style sheet imports another that a `data:` URL contains.
    static func importsEmbeddedSheet(_ css: [UInt8]) -> Bool {
        var rest = css[...]
        while let start = firstRange(of: importRule, in: rest) {
            let rule = rest[start...].prefix { $0 != UInt8(ascii: ";") }
            // A comment may contain the semicolon.
            let text = contains(Array("/*".utf8), in: rule) ? rest[start...] : rule
            if contains(dataScheme, in: text) { return true }
            rest = rest[rule.endIndex...]
        }
        return false
    }

    private static let importRule = Array("@import".utf8)

    /// The beginning of a URL that contains its own data (RFC 2397).
    static let dataScheme = Array("data:".utf8)

    /// Returns whether ASCII letters occur in a text, ignoring case.
    static func contains(_ letters: [UInt8], in text: some Collection<UInt8>) -> Bool {
        firstRange(of: letters, in: ArraySlice(text)) != nil
    }

    /// Returns the index of the first occurrence of lowercase letters, ignoring case.
    private static func firstRange(of letters: [UInt8], in text: ArraySlice<UInt8>) -> Int? {
        guard let first = letters.first else { return nil }
        var position = text.startIndex
        while let next = text[position...].firstIndex(where: { lowercase($0) == first }) {
            if text[next...].prefix(letters.count).lazy.map(lowercase).elementsEqual(letters) { return next }
            position = next + 1
        }
        return nil
    }

    /// Returns text without white space at its ends.
    static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let end = text.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? text.startIndex
        return text[..<end].drop { $0 <= 0x20 }
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
