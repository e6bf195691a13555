/// The identifier of a request, in logs and in `X-Request-Id`.
package enum RequestID {
    /// The name of the header field in requests and responses.
    static let fieldName = "X-Request-Id"
    /// The maximum length of an identifier from outside, in characters.
    static let maximumLength = 128

    /// Returns the identifier that the client sent, if it is safe in a log and in a header field, or a new one.
    ///
    /// - Parameter sent: The value of `X-Request-Id`.
    package static func accept(_ sent: String?, using generator: inout some RandomNumberGenerator) -> String {
        if let sent, isValid(sent) { return sent }
        return make(using: &generator)
    }

    /// Whether an identifier has 1 to 128 letters, digits, `-` and `_`.
    static func isValid(_ text: String) -> Bool {
        (1...maximumLength).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
                default: false
                }
            }
    }

    /// Returns 128 random bits as 32 hexadecimal digits.
    private static func make(using generator: inout some RandomNumberGenerator) -> String {
        [generator.next() as UInt64, generator.next()].map { number in
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
