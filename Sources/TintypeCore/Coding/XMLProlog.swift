/// Finds the name of the root element of an XML document. It skips the prolog: the declaration, comments, processing
/// instructions and the document type (XML 1.0, 2.8).
///
/// It recognizes documents; it does not validate them.
struct XMLProlog {
    /// The first markup after the prolog.
    enum Root: Equatable {
        /// An element, by its name without a namespace prefix.
        case element(String)
        /// Unknown: the bytes end before the name of the root element does.
        case incomplete
        /// No element: the bytes are not XML.
        case none
    }

    private var rest: ArraySlice<UInt8>

    /// Reads the prolog in some bytes.
    ///
    /// - Parameter bytes: The first bytes of a document in UTF-16, or in an encoding that contains ASCII.
    static func root(of bytes: some Collection<UInt8>) -> Root {
        var prolog = XMLProlog(rest: text(Array(bytes))[...])
        return prolog.readRoot()
    }

    /// Returns the characters of the document, with "?" for those of UTF-16 that are not ASCII.
    private static func text(_ bytes: [UInt8]) -> [UInt8] {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return Array(bytes.dropFirst(3)) }
        guard let isBigEndian = isBigEndianUTF16(bytes) else { return bytes }
        return stride(from: 0, to: bytes.count - 1, by: 2).compactMap { index in
            let (high, low) = isBigEndian ? (bytes[index], bytes[index + 1]) : (bytes[index + 1], bytes[index])
            // The byte order mark, U+FEFF, is not part of the text.
            if index == 0, high == 0xFE, low == 0xFF { return nil }
            return high == 0 && low < 0x80 ? low : UInt8(ascii: "?")
        }
    }

    /// Returns the byte order of a document in UTF-16, by its byte order mark or its first character (XML 1.0, F.1);
    /// `nil` for other encodings.
    private static func isBigEndianUTF16(_ bytes: [UInt8]) -> Bool? {
        if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0, UInt8(ascii: "<")]) { return true }
        return bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [UInt8(ascii: "<"), 0]) ? false : nil
    }

    private mutating func readRoot() -> Root {
        while true {
            rest = rest.drop(while: Self.isSpace)
            guard let first = rest.first else { return .incomplete }
            guard first == UInt8(ascii: "<") else { return .none }
            if rest.count < Self.doctype.count, !Self.isName(rest.dropFirst().first ?? 0) { return .incomplete }
            if rest.starts(with: "<?".utf8) {
                guard skip(past: "?>") else { return .incomplete }
            } else if rest.starts(with: "<!--".utf8) {
                guard skip(past: "-->") else { return .incomplete }
            } else if rest.starts(with: Self.doctype) {
                guard skipDoctype() else { return .incomplete }
            } else {
                return element()
            }
        }
    }

    private static let doctype = Array("<!DOCTYPE".utf8)

    /// Reads the name of the element that begins here.
    private func element() -> Root {
        let name = rest.dropFirst().prefix(while: Self.isName)
        guard !name.isEmpty else { return .none }
        guard name.endIndex < rest.endIndex else { return .incomplete }
        let colon = name.lastIndex(of: UInt8(ascii: ":"))
        return .element(String(decoding: colon.map { name[($0 + 1)...] } ?? name, as: UTF8.self))
    }

    /// Skips everything up to and including a string.
    ///
    /// - Returns: Whether the string was found.
    private mutating func skip(past end: String) -> Bool {
        let end = Array(end.utf8)
        // `firstRange(of:)` of the standard library takes a hundred times as long.
        while let index = rest.firstIndex(of: end[0]) {
            let isFound = rest[index...].starts(with: end)
            rest = rest[(index + (isFound ? end.count : 1))...]
            if isFound { return true }
        }
        return false
    }

    /// Skips the document type, with the declarations between its brackets.
    private mutating func skipDoctype() -> Bool {
        var isInside = false
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: "<") where rest.starts(with: "<!--".utf8):
                guard skip(past: "-->") else { return false }
                continue
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                rest = rest.dropFirst().drop { $0 != byte }
            case UInt8(ascii: "["): isInside = true
            case UInt8(ascii: "]"): isInside = false
            case UInt8(ascii: ">") where !isInside:
                rest = rest.dropFirst()
                return true
            default: break
            }
            rest = rest.dropFirst()
        }
        return false
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    /// Whether a byte may be part of a name. All bytes of non-ASCII characters count as name characters.
    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x80...: true
        case UInt8(ascii: "0")...UInt8(ascii: ":"), UInt8(ascii: "-")...UInt8(ascii: "."), UInt8(ascii: "_"): true
        default: false
        }
    }
}
