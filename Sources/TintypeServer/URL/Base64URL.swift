import Foundation

/// The base64 encoding with the URL-safe alphabet and without padding (RFC 4648, section 5).
enum Base64URL {
    /// Returns the encoded form of bytes.
    static func encode(_ bytes: [UInt8]) -> String {
        let text = Data(bytes).base64EncodedString().utf8.compactMap { byte -> UInt8? in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            case UInt8(ascii: "="): nil
            default: byte
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the bytes that a text encodes; `nil` if it has another character, padding included, or no possible
    /// length.
    static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count * 3 / 4)
        var (group, bits): (UInt32, UInt32) = (0, 0)
        for byte in text.utf8 {
            guard let value = value(of: byte) else { return nil }
            group = group << 6 | value
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: group >> bits))
            }
        }
        // A single character of a last group holds six bits, which are no byte.
        return bits == 6 ? nil : bytes
    }

    private static func value(of byte: UInt8) -> UInt32? {
        switch byte {
        case 0x41...0x5a: UInt32(byte) - 0x41
        case 0x61...0x7a: UInt32(byte) - 0x61 + 26
        case 0x30...0x39: UInt32(byte) - 0x30 + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
