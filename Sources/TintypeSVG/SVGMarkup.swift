/// A reader of SVG markup, piece by piece (XML 1.0, 2.4 to 3.1), as far as it matters for the cost of drawing.
struct SVGMarkup {
    /// A piece of markup.
    enum Piece {
        /// A start tag: its name without prefix, its attributes, and whether it also ends the element.
        case open(name: ArraySlice<UInt8>, attributes: SVGAttributes, isClosed: Bool)
        /// An end tag.
        case close
        /// Text between tags, such as a style sheet.
        case text(ArraySlice<UInt8>)
        /// The contents of a CDATA section: text in which nothing refers to a character or an entity.
        case literal(ArraySlice<UInt8>)
        /// A declaration of a document type, from the `!` to the `>`, or to the `[` before the declarations inside.
        case declaration(ArraySlice<UInt8>)
        /// A processing instruction, between `<?` and `?>`.
        case instruction(ArraySlice<UInt8>)
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
            if contents(from: "<!--", to: "-->") != nil { continue }
            if let text = contents(from: "<?", to: "?>") { return .instruction(text) }
            if let text = contents(from: "<![CDATA[", to: "]]>") { return .literal(text) }
            return tag()
        }
        return nil
    }

    /// Reads a construct between `start` and `end` if it begins here, and returns its contents.
    private mutating func contents(from start: StaticString, to end: StaticString) -> ArraySlice<UInt8>? {
        guard matches(start, at: position) else { return nil }
        let first = position + start.utf8CodeUnitCount
        var last = first
        while last < bytes.endIndex, !matches(end, at: last) { last += 1 }
        position = min(last + end.utf8CodeUnitCount, bytes.endIndex)
        return bytes[first..<last]
    }

    private mutating func tag() -> Piece {
        position += 1
        // The declarations inside a document type are read one by one, because their comments may contain quotes.
        let isDocumentType = matches("!DOCTYPE", at: position)
        let text = tagText { $0 == UInt8(ascii: ">") || (isDocumentType && $0 == UInt8(ascii: "[")) }
        if text.first == UInt8(ascii: "!") { return .declaration(text) }
        if text.first == UInt8(ascii: "/") { return .close }
        let name = text.prefix { $0 > 0x20 && $0 != UInt8(ascii: "/") }
        return .open(
            name: SVGAttributes.localName(name), attributes: SVGAttributes(text[name.endIndex...]),
            isClosed: text.last == UInt8(ascii: "/"))
    }

    /// Returns the text of a tag up to its end outside quotes.
    private mutating func tagText(until isEnd: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        var quote: UInt8?
        let text = readBytes { byte in
            if let open = quote {
                if byte == open { quote = nil }
                return false
            }
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { quote = byte }
            return isEnd(byte)
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
}

/// The attributes of a start tag, in document order.
struct SVGAttributes: Sequence, IteratorProtocol {
    private var rest: ArraySlice<UInt8>

    /// - Parameter text: The tag after its name.
    init(_ text: ArraySlice<UInt8>) {
        rest = text
    }

    /// Returns the next attribute: its name without prefix, and the text between the quotes.
    mutating func next() -> (name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)? {
        guard let start = rest.firstIndex(where: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'") }),
            let end = rest[(start + 1)...].firstIndex(of: rest[start])
        else { return nil }
        let name = rest[..<start].drop { $0 <= 0x20 || $0 == UInt8(ascii: "/") }
        defer { rest = rest[(end + 1)...] }
        return (Self.localName(name.prefix { $0 > 0x20 && $0 != UInt8(ascii: "=") }), rest[(start + 1)..<end])
    }

    /// Returns the values of all attributes of a name, in any namespace. librsvg reads the one without a namespace,
    /// which may be any of them.
    func values(of name: StaticString) -> [ArraySlice<UInt8>] {
        let wanted = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        return lazy.filter { $0.name.elementsEqual(wanted) }.map(\.value)
    }

    /// Returns a name without its namespace prefix.
    static func localName(_ name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
    }
}
