import Synchronization

/// The identifier of a request, in logs and in `X-Request-Id`.
package enum RequestID {
    /// The name of the header field in requests and responses.
    static let fieldName = "X-Request-Id"
    /// The maximum length of an identifier from outside, in characters.
    static let maximumLength = 128

    /// Returns the identifier that the client sent, if it is safe in a log and in a header field, or a new one.
    ///
    /// - Parameter sent: The value of `X-Request-Id`.
    package static func accept(_ sent: String?) -> String {
        if let sent, isValid(sent) { return sent }
        return make()
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

    /// Random bits of this process.
    private static let process = UInt64.random(in: .min ... .max)
    /// The number of the last identifier, from a random one on: random numbers for each would be a call of the system.
    private static let last = Atomic<UInt64>(.random(in: .min ... .max))

    /// Returns 32 hexadecimal digits: those of the process, and those of a number that no other identifier has.
    private static func make() -> String {
        // An odd factor keeps the numbers different, and makes them look so.
        let number = last.wrappingAdd(1, ordering: .relaxed).newValue &* 0x9E37_79B9_7F4A_7C15
        return String(unsafeUninitializedCapacity: 32) { digits in
            for place in 0..<32 {
                let value = (place < 16 ? process : number) >> UInt64(60 - place % 16 * 4) & 0xF
                digits[place] = UInt8(truncatingIfNeeded: value < 10 ? 0x30 + value : 0x57 + value)
            }
            return 32
        }
    }
}
