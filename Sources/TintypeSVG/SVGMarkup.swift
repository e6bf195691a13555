/// A reader of SVG markup, piece by piece (XML 1.0, 2.4 to 3.1), as far as it matters for references.
struct SVGMarkup {
    /// A piece of markup.
    enum Piece {
        /// A start tag: its name without prefix, its attributes, and whether it also ends the element.
        case open(name: ArraySlice<UInt8>, attributes: ArraySlice<UInt8>, isClosed: Bool)
        /// An end tag.
        case close
        /// Text between tags, such as a style sheet.
        case text(ArraySlice<UInt8>)
    }

    private let bytes: ArraySlice<UInt8>
    private var position: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    /// Returns the next piece, or `nil` at the end.
    mutating func next() -> Piece? {
        while position < bytes.endIndex {
            guard bytes[position] == UInt8(ascii: "<") else { return .text(readBytes { $0 == UInt8(ascii: "<") }) }
            if skip(from: "<!--", to: "-->") || skip(from: "<?", to: "?>") { continue }
            if let text = characterData() { return .text(text) }
            if let tag = tag() { return tag }
        }
        return nil
    }

    /// Skips a construct delimited by `start` and `end` if it begins here, and returns whether it did.
    private mutating func skip(from start: StaticString, to end: StaticString) -> Bool {
        guard matches(start, at: position) else { return false }
        position = self.end(of: end, from: position + start.utf8CodeUnitCount)
        return true
    }

    /// Returns the text of a CDATA section (2.7) if one begins here.
    private mutating func characterData() -> ArraySlice<UInt8>? {
        let start: StaticString = "<![CDATA["
        guard matches(start, at: position) else { return nil }
        let first = position + start.utf8CodeUnitCount
        position = end(of: "]]>", from: first)
        return bytes[first..<max(first, position - 3)]
    }

    /// - Returns: `nil` for a declaration.
    private mutating func tag() -> Piece? {
        position += 1
        let text = tagText()
        if text.first == UInt8(ascii: "!") { return nil }
        if text.first == UInt8(ascii: "/") { return .close }
        let full = text.prefix { $0 > 0x20 && $0 != UInt8(ascii: "/") }
        let name = full.lastIndex(of: UInt8(ascii: ":")).map { full[($0 + 1)...] } ?? full
        return .open(name: name, attributes: text[full.endIndex...], isClosed: text.last == UInt8(ascii: "/"))
    }

    /// Returns the text of a tag up to the `>` outside quotes.
    private mutating func tagText() -> ArraySlice<UInt8> {
        var quote: UInt8?
        let text = readBytes { byte in
            if let open = quote {
                if byte == open { quote = nil }
                return false
            }
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { quote = byte }
            return byte == UInt8(ascii: ">")
        }
        position = min(position + 1, bytes.endIndex)
        return text
    }

    private mutating func readBytes(until isEnd: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = position
        position = bytes[position...].firstIndex(where: isEnd) ?? bytes.endIndex
        return bytes[start..<position]
    }

    private func matches(_ text: StaticString, at position: Int) -> Bool {
        bytes[position...].starts(with: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Returns the index after the next occurrence of `text`.
    private func end(of text: StaticString, from position: Int) -> Int {
        var position = position
        while position < bytes.endIndex, !matches(text, at: position) { position += 1 }
        return min(position + text.utf8CodeUnitCount, bytes.endIndex)
    }
}
