/// The text of attributes and style sheets, with references and escapes resolved.
enum SVGText {
    /// The context of a text.
    enum Context {
        /// In the value of an attribute. White space becomes a space (XML 1.0, 3.3.3), or nothing if it is written as a
        /// reference.
        case attribute
        /// In an element. White space stays.
        case element
    }

    /// Returns text with character references (XML 1.0, 4.1) replaced.
    ///
    /// - Parameters:
    ///   - text: The value of an attribute, or the text of an element.
    ///   - context: Whether the text is that of an attribute or of an element.
    ///   - replacement: Returns the text of an entity that the document declares.
    static func resolved(
        _ text: ArraySlice<UInt8>, in context: Context, replacing replacement: (ArraySlice<UInt8>) -> [UInt8]
    ) -> [UInt8] {
        var (result, position) = ([UInt8](), text.startIndex)
        result.reserveCapacity(text.count)
        while position < text.endIndex {
            let byte = text[position]
            position += 1
            guard byte == UInt8(ascii: "&") else {
                result.append(context == .attribute ? max(byte, 0x20) : byte)
                continue
            }
            let name = text[position...].prefix { $0 != UInt8(ascii: ";") }
            position = min(name.endIndex + 1, text.endIndex)
            result += character(of: name).map { $0 >= 0x20 || context == .element ? [$0] : [] } ?? replacement(name)
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
        guard contains(dataScheme, in: text) else { return false }
        // From the end on, so that the text is read once, however many URLs have a common end.
        var nearest = [UInt8: Int]()
        for index in text.indices.reversed() {
            if fragmentSigns.contains(text[index]) { nearest[text[index]] = index }
            guard isAt(index, dataScheme, in: text), let mark = nearest[UInt8(ascii: "#")] else { continue }
            if mark < nearest[endOfURL(after: index, in: text)] ?? .max { return true }
        }
        return false
    }

    private static let fragmentSigns = Array("#)'\"".utf8)

    /// Returns the character that ends a URL in CSS: the quote before it, or a parenthesis.
    private static func endOfURL(after start: Int, in text: [UInt8]) -> UInt8 {
        let quote = start > 0 ? text[start - 1] : 0
        return quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") ? quote : UInt8(ascii: ")")
    }

    /// Returns whether a plain style sheet imports another that a `data:` URL contains.
    static func importsEmbeddedSheet(_ css: [UInt8]) -> Bool {
        guard let last = css.indices.last(where: { isAt($0, dataScheme, in: css) }) else { return false }
        var rest = css[...last]
        while let start = firstRange(of: importRule, in: rest) {
            let rule = rest[start...].prefix { $0 != UInt8(ascii: ";") }
            // The last URL follows. It is in the rule, unless the rule ends before; a comment may contain the semicolon.
            if rule.endIndex > last || contains(dataScheme, in: rule) || contains(Array("/*".utf8), in: rule) {
                return true
            }
            rest = rest[rule.endIndex...]
        }
        return false
    }

    private static func isAt(_ index: Int, _ letters: [UInt8], in text: [UInt8]) -> Bool {
        lowercase(text[index]) == letters[0]
            && text[index...].prefix(letters.count).lazy.map(lowercase).elementsEqual(letters)
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

    /// Returns CSS without its comments (CSS Syntax 3, 4.3.2).
    static func withoutComments(_ css: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard contains(Array("/*".utf8), in: css) else { return css }
        var (result, rest) = ([UInt8](), css)
        while let start = firstRange(of: Array("/*".utf8), in: rest) {
            result += rest[..<start]
            let end = firstRange(of: Array("*/".utf8), in: rest[(start + 2)...])
            rest = end.map { rest[($0 + 2)...] } ?? []
        }
        return (result + rest)[...]
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
