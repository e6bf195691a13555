import Foundation
import TintypeCore

/// A key and a salt, which a signer and the server share.
package struct SigningKey: Hashable, Sendable {
    /// The key of the hash.
    package let key: [UInt8]
    /// The bytes that are hashed before the path.
    package let salt: [UInt8]

    /// Creates a pair from bytes.
    package init(key: [UInt8], salt: [UInt8]) {
        self.key = key
        self.salt = salt
    }

    /// Creates a pair from hexadecimal digits, as in imgproxy's configuration; `nil` if one of them is no such text, or
    /// is empty.
    package init?(hexadecimalKey key: String, salt: String) {
        guard let key = [UInt8](hexadecimal: key), let salt = [UInt8](hexadecimal: salt), !key.isEmpty, !salt.isEmpty
        else { return nil }
        self.init(key: key, salt: salt)
    }

    /// Returns the signature of a path: the first bytes of the HMAC-SHA256 of salt and path, in the URL-safe base64
    /// alphabet without padding.
    ///
    /// - Parameters:
    ///   - path: The path after the signature. A missing leading slash is added.
    ///   - size: The number of bytes of the hash that are kept, from 1 to 32.
    package func sign(path: String, size: Int = 32) -> String {
        Base64URL.encode(digest(of: path, size: size))
    }

    func digest(of path: String, size: Int) -> [UInt8] {
        var hash = HMACSHA256(key: key)
        hash.update(salt)
        if path.utf8.first != UInt8(ascii: "/") { hash.update("/") }
        hash.update(path)
        return Array(hash.bytes.prefix(max(1, min(size, 32))))
    }
}

/// Which signatures the server accepts.
package struct SignaturePolicy: Hashable, Sendable {
    /// The pairs, any of which may have signed a URL. None: every signature is accepted.
    package var keys: [SigningKey]
    /// The number of bytes of a signature, from 1 to 32.
    package var size: Int
    /// Texts that are accepted in place of a signature.
    package var trusted: [String]

    /// Creates a policy. Without keys, it accepts every signature.
    package init(keys: [SigningKey] = [], size: Int = 32, trusted: [String] = []) {
        self.keys = keys
        self.size = size
        self.trusted = trusted
    }

    /// How a signature was accepted.
    package enum Acceptance: Hashable, Sendable {
        /// There are no keys.
        case unsigned
        /// The text is a trusted one.
        case trusted
        /// The pair of this index signed the path.
        case key(Int)
    }

    /// Verifies the signature of a path. Takes the same time for every wrong signature of the same length.
    ///
    /// - Throws: ``ImageURLError/Kind/signature`` if it is wrong, or looks like an option, so that it was forgotten.
    @discardableResult
    package func verify(_ signed: SignedPath) throws(ImageURLError) -> Acceptance {
        let bytes = Array(signed.signature.utf8)
        guard !keys.isEmpty else {
            if bytes.contains(UInt8(ascii: ":")) || signed.signature.contains("%3A") { throw Self.forgotten(signed) }
            return .unsigned
        }
        let isTrusted = trusted.map { equalInConstantTime(Array($0.utf8), bytes) }
        if isTrusted.contains(true) { return .trusted }
        guard let signature = Base64URL.decode(signed.signature) else {
            if bytes.contains(UInt8(ascii: ":")) { throw Self.forgotten(signed) }
            throw ImageURLError(.signature, "the signature is not URL-safe base64 without padding")
        }
        let isSigned = keys.map { equalInConstantTime($0.digest(of: signed.signedText, size: size), signature) }
        if let index = isSigned.firstIndex(of: true) { return .key(index) }
        throw ImageURLError(.signature, "the signature is not that of \(signed.signedText)")
    }

    private static func forgotten(_ signed: SignedPath) -> ImageURLError {
        ImageURLError(
            .signature,
            "the first segment must be the signature, got the option \"\(signed.signature)\"; "
                + "without keys, write any text such as \"_\"")
    }
}

extension [UInt8] {
    /// Creates the bytes that pairs of hexadecimal digits stand for; `nil` if the text is none.
    init?(hexadecimal text: String) {
        let digits = text.utf8.map(\.hexadecimalValue)
        guard digits.count.isMultiple(of: 2) else { return nil }
        self = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            append(high << 4 | low)
        }
    }
}

extension UInt8 {
    /// The value of an ASCII hexadecimal digit; `nil` for another byte.
    var hexadecimalValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x37
        case 0x61...0x66: self - 0x57
        default: nil
        }
    }
}

/// Returns whether two sequences of bytes are equal, in a time that depends only on their lengths.
///
/// A comparison that stops at the first difference tells an attacker how much of a guess was right.
package func equalInConstantTime(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    guard one.count == other.count else { return false }
    return zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
}
