/// The name and the arguments of one option, such as `rs:fill:300:200`, and the warnings of reading them.
struct OptionArguments: Sendable {
    /// The name as it was written.
    let name: String
    /// The arguments; at least one, any of which can be empty.
    private(set) var values: [String]
    /// What was wrong without being an error.
    private(set) var warnings: [String] = []

    /// Cuts a segment of a path; `nil` if it has no separator, so that it is no option.
    init?(segment: String, separator: String) {
        let parts = segment.parts(separatedBy: separator)
        guard parts.count > 1 else { return nil }
        name = parts[0]
        values = Array(parts.dropFirst())
    }

    /// The number of arguments, empty ones included.
    var count: Int { values.count }

    /// Whether an argument is there and not empty. Options with several arguments keep the value of an empty one.
    func has(_ index: Int) -> Bool { values.indices.contains(index) && !values[index].isEmpty }

    /// Returns an argument; an empty text if it is missing.
    subscript(index: Int) -> String { values.indices.contains(index) ? values[index] : "" }

    /// Performs an action on the arguments from an index on, as if they were those of an option of their own.
    mutating func withRest<Result>(
        from index: Int, _ body: (inout OptionArguments) throws(ImageURLError) -> Result
    ) throws(ImageURLError) -> Result {
        var rest = self
        rest.values = Array(values.dropFirst(index))
        let result = try body(&rest)
        warnings = rest.warnings
        return result
    }

    func error(_ expected: String, at index: Int) -> ImageURLError {
        ImageURLError(.argument, "\(name): expected \(expected), got \"\(self[index])\"")
    }
}

// MARK: - Values

extension OptionArguments {
    /// The largest number of pixels on a side, or other number, that an option takes. Products of three such numbers
    /// are exact enough as `Double`, and none overflows.
    static let largest = 1_000_000

    /// Returns an integer in decimal digits.
    func integer(_ index: Int, in range: ClosedRange<Int> = 0...largest) throws(ImageURLError) -> Int {
        guard let value = Int(self[index]), range.contains(value) else {
            throw error("an integer from \(range.lowerBound) to \(range.upperBound)", at: index)
        }
        return value
    }

    /// Returns a decimal number, possibly with an exponent.
    func number(
        _ index: Int, in range: ClosedRange<Double> = 0...Double(largest), aboveZero: Bool = false
    ) throws(ImageURLError) -> Double {
        let text = self[index]
        // Double also reads hexadecimal numbers, "inf" and "nan".
        guard text.utf8.allSatisfy({ $0.isASCIIDigit || "+-.eE".utf8.contains($0) }), let value = Double(text),
            range.contains(value), value > 0 || !aboveZero
        else {
            let (low, high) = (CanonicalNumber.text(range.lowerBound), CanonicalNumber.text(range.upperBound))
            throw error("a number \(aboveZero ? "above" : "from") \(low) to \(high)", at: index)
        }
        // Negative zero is equal to zero, but has another text.
        return value + 0
    }

    /// Returns a truth value, by the rules of Go's `strconv.ParseBool`. Another text counts as false, with a warning.
    mutating func boolean(_ index: Int) -> Bool {
        switch self[index] {
        case "1", "t", "T", "true", "TRUE", "True": return true
        case "0", "f", "F", "false", "FALSE", "False": return false
        default:
            warnings.append("\(name): \"\(self[index])\" is neither true nor false, and counts as false")
            return false
        }
    }

    /// Returns a colour in hexadecimal digits.
    func color(_ index: Int) throws(ImageURLError) -> RGBColor {
        guard let color = RGBColor(hexadecimal: self[index]) else {
            throw error("three or six hexadecimal digits", at: index)
        }
        return color
    }

    /// Returns the case of an enumeration, by its name.
    func value<Value: RawRepresentable<String>>(
        _ index: Int, among values: [Value]
    ) throws(ImageURLError) -> Value {
        guard let value = values.first(where: { $0.rawValue == self[index] }) else {
            throw error("one of " + values.map(\.rawValue).joined(separator: ", "), at: index)
        }
        return value
    }

    /// Returns the text that an argument in URL-safe base64 encodes. Padding is ignored.
    func base64(_ index: Int) throws(ImageURLError) -> String {
        let encoded = self[index].utf8.reversed().drop { $0 == UInt8(ascii: "=") }.reversed()
        guard let bytes = Base64URL.decode(String(decoding: Array(encoded), as: UTF8.self)),
            let text = String(validating: bytes, as: UTF8.self)
        else { throw error("URL-safe base64 of UTF-8", at: index) }
        return text
    }
}

/// The shortest decimal text of a number.
enum CanonicalNumber {
    /// Returns the text: of a whole number, without a fraction.
    static func text(_ number: Double) -> String {
        number == number.rounded() && abs(number) < 1e15 ? String(Int(number)) : String(number)
    }
}
