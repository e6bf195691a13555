/// The percent-encoding of Signature Version 4: all bytes except the unreserved characters of RFC 3986, 2.3, with
/// digits in upper case.
enum PercentEncoding {
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Encodes a name or a value of a query.
    static func encode(_ text: String) -> String { encode(text, keepsSlashes: false) }

    /// Encodes a path, whose slashes stay. Nothing is normalized: empty segments stay, too.
    static func encodePath(_ path: String) -> String { encode(path, keepsSlashes: true) }

    private static func encode(_ text: String, keepsSlashes: Bool) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if isUnreserved(byte) || keepsSlashes && byte == UInt8(ascii: "/") {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
