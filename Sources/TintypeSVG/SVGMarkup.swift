/// The markup of an SVG, one piece after the other (XML 1.0, 2.4 to 3.1), as far as it matters for what refers to what.
struct SVGMarkup {
    enum Piece {
        /// The beginning of an element: its name without prefix, its attributes, and whether it ends there.
        case open(name: ArraySlice<UInt8>, attributes: ArraySlice<UInt8>, isClosed: Bool)
        case close
        /// What stands between tags, such as a style sheet.
        case text(ArraySlice<UInt8>)
    }

    private let bytes: ArraySlice<UInt8>
    private var place: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        place = bytes.startIndex
    }

    mutating func next() -> Piece? {
        while place < bytes.endIndex {
            guard bytes[place] == UInt8(ascii: "<") else { return .text(take { $0 == UInt8(ascii: "<") }) }
            if skips("<!--", to: "-->") || skips("<?", to: "?>") { continue }
            if let text = section() { return .text(text) }
            if let tag = tag() { return tag }
        }
        return nil
    }

    /// Passes over what begins and ends with these, if it stands here.
    private mutating func skips(_ start: StaticString, to end: StaticString) -> Bool {
        guard stands(start, at: place) else { return false }
        place = self.end(of: end, from: place + start.utf8CodeUnitCount)
        return true
    }

    /// What stands in a section of characters (2.7).
    private mutating func section() -> ArraySlice<UInt8>? {
        let start: StaticString = "<![CDATA["
        guard stands(start, at: place) else { return nil }
        let first = place + start.utf8CodeUnitCount
        place = end(of: "]]>", from: first)
        return bytes[first..<max(first, place - 3)]
    }

    /// - Returns: `nil` for a declaration, which is no element.
    private mutating func tag() -> Piece? {
        place += 1
        let text = tagText()
        if text.first == UInt8(ascii: "!") { return nil }
        if text.first == UInt8(ascii: "/") { return .close }
        let full = text.prefix { $0 > 0x20 && $0 != UInt8(ascii: "/") }
        let name = full.lastIndex(of: UInt8(ascii: ":")).map { full[($0 + 1)...] } ?? full
        return .open(name: name, attributes: text[full.endIndex...], isClosed: text.last == UInt8(ascii: "/"))
    }

    /// Up to the bracket that is in no quotes.
    private mutating func tagText() -> ArraySlice<UInt8> {
        var quote: UInt8?
        let text = take { byte in
            if let open = quote {
                if byte == open { quote = nil }
                return false
            }
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { quote = byte }
            return byte == UInt8(ascii: ">")
        }
        place = min(place + 1, bytes.endIndex)
        return text
    }

    private mutating func take(until isEnd: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = place
        place = bytes[place...].firstIndex(where: isEnd) ?? bytes.endIndex
        return bytes[start..<place]
    }

    private func stands(_ text: StaticString, at place: Int) -> Bool {
        bytes[place...].starts(with: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// After the next place where a text stands.
    private func end(of text: StaticString, from place: Int) -> Int {
        var place = place
        while place < bytes.endIndex, !stands(text, at: place) { place += 1 }
        return min(place + text.utf8CodeUnitCount, bytes.endIndex)
    }
}
