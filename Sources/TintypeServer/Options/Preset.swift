/// A name for a list of options.
struct Preset: Sendable {
    let name: String
    let options: [OptionArguments]

    /// Reads `name=option/option`. `nil` if the text is empty or a comment, which begins with `#`.
    ///
    /// - Throws: ``ImageURLError/Kind/argument`` if the text is another one.
    init?(_ text: String, separator: String) throws(ImageURLError) {
        let text = Self.trimmed(text)
        guard let first = text.utf8.first, first != UInt8(ascii: "#") else { return nil }
        let parts = text.parts(separatedBy: "=")
        guard parts.count == 2 else { throw Self.error(text, "expected NAME=OPTION/OPTION") }
        name = Self.trimmed(parts[0])
        guard !name.isEmpty else { throw Self.error(text, "the name is empty") }
        let value = Self.trimmed(parts[1])
        guard !value.isEmpty else { throw Self.error(text, "there is no option") }
        var options: [OptionArguments] = []
        for segment in value.parts(separatedBy: "/") {
            guard let option = OptionArguments(segment: segment, separator: separator) else {
                throw Self.error(text, "\"\(segment)\" is no option with arguments")
            }
            options.append(option)
        }
        self.options = options
    }

    private static func trimmed(_ text: String) -> String {
        let rest = text.utf8.drop { $0 == 0x20 }.reversed().drop { $0 == 0x20 }.reversed()
        return String(decoding: Array(rest), as: UTF8.self)
    }

    private static func error(_ text: String, _ detail: String) -> ImageURLError {
        ImageURLError(.argument, "the preset \"\(text)\" is malformed: \(detail)")
    }
}

extension Double {
    /// Returns the nearest number in a range.
    func clamped(to range: ClosedRange<Double>) -> Double { min(max(self, range.lowerBound), range.upperBound) }
}
