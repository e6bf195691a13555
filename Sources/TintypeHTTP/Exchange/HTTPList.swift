/// Lists in header fields.
enum HTTPList {
    /// The elements of a value, without empty ones and the white space around them; commas in quotes do not count
    /// (RFC 9110, 5.6.1 and 5.6.4).
    static func elements(_ value: String, separator: Character = ",") -> [String] {
        var elements: [String] = []
        var element = ""
        var isQuoted = false
        var isEscaped = false
        for character in value {
            if character == separator, !isQuoted {
                elements.append(element)
                element = ""
                continue
            }
            if character == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && character == "\\" && !isEscaped
            element.append(character)
        }
        return (elements + [element]).map(trimmed).filter { !$0.isEmpty }
    }

    /// A value without the quotes around it, if there are any.
    static func unquoted(_ value: String) -> String {
        guard value.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") else { return value }
        return String(value.dropFirst().dropLast()).replacing("\\\"", with: "\"")
    }

    static func trimmed(_ text: some StringProtocol) -> String {
        let end = text.lastIndex { $0 != " " && $0 != "\t" }
        guard let start = text.firstIndex(where: { $0 != " " && $0 != "\t" }), let end else { return "" }
        return String(text[start...end])
    }
}
