import Foundation

extension String {
    /// The text as a terminal or a log may show it on one line.
    ///
    /// A file name, URL or header value may contain control sequences, or characters that reorder or hide the text
    /// around them. Each is replaced by an escape such as `\n` or `\u{202E}`. O(n); returns the string itself if there
    /// is none.
    package var printable: String {
        escaping { scalar in
            switch scalar {
            case "\n": "\\n"
            case "\r": "\\r"
            case "\t": "\\t"
            default: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            }
        }
    }

    /// A JSON text in which the characters that ``printable`` escapes have JSON escapes (RFC 8259, 7).
    ///
    /// An encoder need not escape them. They occur only within strings, so the value stays the same. The text must not
    /// contain line breaks outside of strings.
    package var printableJSON: String {
        escaping { scalar in
            String(scalar).utf16.map { unit in
                let digits = String(unit, radix: 16, uppercase: true)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined()
        }
    }

    /// Creates a string for display from a C string of the system, such as an argument or a file name. Bytes that are
    /// not valid UTF-8 become escapes such as `\xFF`. Backslashes are not escaped, so the result cannot be converted
    /// back.
    package init(escapingCString bytes: UnsafePointer<CChar>) {
        let bytes = UnsafeBufferPointer(start: bytes, count: strlen(bytes)).map { UInt8(bitPattern: $0) }
        var (text, offset) = ("", 0)
        var (parser, rest) = (Unicode.UTF8.ForwardParser(), bytes.makeIterator())
        while offset < bytes.count {
            switch parser.parseScalar(from: &rest) {
            case .valid(let scalar):
                text.unicodeScalars.append(Unicode.UTF8.decode(scalar))
                offset += scalar.count
            case .error(let count):
                for byte in bytes[offset..<offset + count] { text += "\\x" + String(byte, radix: 16, uppercase: true) }
                offset += count
            case .emptyInput: offset = bytes.count
            }
        }
        self = text
    }

    private func escaping(_ escape: (Unicode.Scalar) -> String) -> String {
        // Nearly every text is ASCII, or has nothing to escape.
        guard !utf8.allSatisfy({ (0x20..<0x7F).contains($0) }), unicodeScalars.contains(where: { !$0.isPrintable })
        else { return self }
        var text = ""
        for scalar in unicodeScalars {
            if scalar.isPrintable { text.unicodeScalars.append(scalar) } else { text += escape(scalar) }
        }
        return text
    }

    /// The text, truncated after `count` scalars if it is longer. Scalars, because one character can have megabytes of
    /// combining marks.
    package func abbreviated(to count: Int) -> String {
        guard utf8.count > count, let end = unicodeScalars.index(startIndex, offsetBy: count, limitedBy: endIndex),
            end < endIndex
        else { return self }
        return String(unicodeScalars[..<end]) + "…"
    }
}

extension Unicode.Scalar {
    /// Whether a terminal shows the scalar as itself.
    ///
    /// Controls, line and paragraph separators, and everything that is invisible by default are not: C0 and C1
    /// controls, bidirectional controls, zero-width characters, tags. Joiners and variation selectors are, because
    /// scripts and emoji need them.
    package var isPrintable: Bool {
        switch value {
        case 0x20..<0x7F: return true
        case 0x200C, 0x200D, 0xFE00...0xFE0F: return true
        default: break
        }
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: return false
        default: return !properties.isDefaultIgnorableCodePoint
        }
    }
}
