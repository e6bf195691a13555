/// The values of one line.
enum RESPScalar {
    /// Returns the value of a line.
    ///
    /// - Parameters:
    ///   - type: The first character of the line.
    ///   - content: The rest, without the line end.
    static func value(_ type: UnicodeScalar, _ content: ArraySlice<UInt8>) throws(RESPViolation) -> RESPValue {
        switch type {
        case "+": return .simple(text(content))
        case "-": return .error(text(content))
        case ":":
            guard let number = integer(content) else { throw .malformed("an integer") }
            return .integer(number)
        case "_":
            guard content.isEmpty else { throw .malformed("a null with content") }
            return .null
        case "#":
            guard content.count == 1, let letter = content.first.map(UnicodeScalar.init), letter == "t" || letter == "f"
            else { throw .malformed("a boolean") }
            return .boolean(letter == "t")
        case ",":
            guard let number = Double(text(content)) else { throw .malformed("a number") }
            return .double(number)
        case "(":
            guard isInteger(content) else { throw .malformed("a big number") }
            return .bigNumber(text(content))
        default: throw .malformed("a value of the unknown type \(type.escaped(asASCII: true))")
        }
    }

    /// Returns a length: a decimal number without a sign, of at most 18 digits.
    static func length(_ content: ArraySlice<UInt8>) -> Int? {
        guard (1...18).contains(content.count), content.allSatisfy(isDigit) else { return nil }
        return content.reduce(0) { 10 * $0 + Int($1 - UInt8(ascii: "0")) }
    }

    static func isMinusOne(_ content: ArraySlice<UInt8>) -> Bool {
        content.elementsEqual("-1".utf8)
    }

    private static func integer(_ content: ArraySlice<UInt8>) -> Int64? {
        isInteger(content) ? Int64(text(content)) : nil
    }

    private static func isInteger(_ content: ArraySlice<UInt8>) -> Bool {
        let hasSign = content.first == UInt8(ascii: "-") || content.first == UInt8(ascii: "+")
        let digits = content.dropFirst(hasSign ? 1 : 0)
        return !digits.isEmpty && digits.allSatisfy(isDigit)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func text(_ content: ArraySlice<UInt8>) -> String {
        String(decoding: content, as: UTF8.self)
    }
}
