/// The `Content-Disposition` field (RFC 6266).
enum ContentDisposition {
    /// The maximum length of a name without its extension, in characters.
    static let maximumCharacterCount = 128

    /// Returns the value of the field.
    ///
    /// A name that is not ASCII is sent twice: as `filename*` (RFC 8187), and for old clients with `_` for each
    /// character that is not ASCII.
    ///
    /// - Parameters:
    ///   - stem: The name without an extension, from outside.
    ///   - fileExtension: The extension of the output format.
    ///   - isAttachment: Whether browsers save the image instead of showing it.
    static func value(stem: String, fileExtension: String, isAttachment: Bool) -> String {
        let name = "\(safe(stem)).\(fileExtension)"
        let type = isAttachment ? "attachment" : "inline"
        let plain = String(name.map { $0.isASCII ? $0 : "_" })
        guard plain != name else { return "\(type); filename=\"\(name)\"" }
        return "\(type); filename=\"\(plain)\"; filename*=UTF-8''\(encoded(name))"
    }

    /// Returns a name without path separators, quotes, control and format characters, and without white space and dots
    /// at its ends. The name `image` replaces one of which nothing is left.
    static func safe(_ stem: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in stem.unicodeScalars where isSafe(scalar) { scalars.append(scalar) }
        let isEdge = { (character: Character) in character.isWhitespace || character == "." }
        var text = String(scalars).drop(while: isEdge).prefix(maximumCharacterCount)
        while let last = text.last, isEdge(last) { text.removeLast() }
        return text.isEmpty ? "image" : String(text)
    }

    private static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // Format characters reverse the direction of text, so that an extension seems to be another one.
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: !"\"'\\/:*?<>|%;`".unicodeScalars.contains(scalar)
        }
    }

    /// Returns the percent-encoded UTF-8 form of a text, with the characters that RFC 8187, 3.2.1 allows.
    private static func encoded(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                result += byte < 16 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return result
    }
}
