import TintypeCore

/// Parses and writes the values of settings. Everything that is not exactly a value is refused.
enum SettingText {
    /// Parses a whole number without a sign.
    static func integer(_ text: String) -> Int? {
        guard (1...19).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }

    /// Parses a non-negative number such as `0.5`.
    static func decimal(_ text: String) -> Double? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), text.utf8.count <= 20,
            parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
        else { return nil }
        return Double(text)
    }

    /// Returns a number without a fraction if it has none.
    static func decimalText(_ value: Double) -> String {
        value == value.rounded() && value.magnitude < 1e15 ? "\(Int(value))" : "\(value)"
    }

    private static let units: [(name: Character, shift: Int)] = [("K", 10), ("M", 20), ("G", 30), ("T", 40)]

    /// Parses a number of bytes with an optional unit, which is a power of 1,024.
    static func bytes(_ text: String) -> Int? {
        guard let last = text.last, let unit = units.first(where: { $0.name == last }) else { return integer(text) }
        guard let number = integer(String(text.dropLast())), number <= Int.max >> unit.shift else { return nil }
        return number << unit.shift
    }

    /// Returns a number of bytes with the largest unit that divides it.
    static func bytesText(_ count: Int) -> String {
        let unit = units.last { count > 0 && count & (1 << $0.shift - 1) == 0 }
        return unit.map { "\(count >> $0.shift)\($0.name)" } ?? "\(count)"
    }

    /// Parses the words that imgproxy accepts too.
    static func boolean(_ text: String) -> Bool? {
        switch text {
        case "1", "t", "T", "true", "TRUE", "True": true
        case "0", "f", "F", "false", "FALSE", "False": false
        default: nil
        }
    }

    /// Returns the elements of a list, without empty ones and white space at their ends.
    static func elements(_ text: String, separator: Character = ",") -> [String] {
        text.split(separator: separator).map { trimmed($0) }.filter { !$0.isEmpty }
    }

    /// Returns a text without white space at its ends.
    static func trimmed(_ text: some StringProtocol) -> String {
        guard let start = text.firstIndex(where: { !$0.isWhitespace }),
            let end = text.lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(text[start...end])
    }

    /// Parses a list of byte strings in hexadecimal, none of which is empty.
    static func hexadecimalList(_ text: String) -> [[UInt8]]? {
        let elements = elements(text).map(hexadecimal)
        let values = elements.compactMap { $0 }
        return values.count == elements.count && !values.isEmpty ? values : nil
    }

    private static func hexadecimal(_ text: String) -> [UInt8]? {
        let digits = text.utf8.map { byte -> UInt8? in
            switch byte {
            case 0x30...0x39: byte - 0x30
            case 0x41...0x46: byte - 0x41 + 10
            case 0x61...0x66: byte - 0x61 + 10
            default: nil
            }
        }
        guard digits.count.isMultiple(of: 2), !digits.isEmpty else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// Parses pairs such as `webp=79,avif=63`.
    static func integerPairs(_ text: String, in range: ClosedRange<Int>) -> [String: Int]? {
        var pairs: [String: Int] = [:]
        for element in elements(text) {
            let parts = element.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let value = integer(trimmed(parts[1])), range.contains(value) else { return nil }
            pairs[trimmed(parts[0]).lowercased()] = value
        }
        return pairs
    }

    /// Returns pairs sorted by their names.
    static func pairsText(_ pairs: [String: Int]) -> String {
        pairs.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
    }
}
