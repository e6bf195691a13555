import Foundation
import TintypeCore

/// The keyed hash HMAC (RFC 2104) over SHA-256.
struct HMACSHA256: Sendable {
    /// The length of a block of SHA-256 in bytes (FIPS 180-4, 5.2.1).
    private static let blockLength = 64

    private let inner: SHA256Digest
    private let outer: SHA256Digest

    /// Prepares the hash for a key of any length.
    init(key: [UInt8]) {
        var block = key
        if block.count > Self.blockLength { block = Self.digest(of: block) }
        block += [UInt8](repeating: 0, count: Self.blockLength - block.count)
        inner = Self.started(with: block, 0x36)
        outer = Self.started(with: block, 0x5C)
    }

    /// Returns the 32 bytes of the hash of a text in UTF-8.
    func hash(of text: String) -> [UInt8] {
        var (inner, outer) = (inner, outer)
        inner.update(text)
        inner.bytes.withUnsafeBytes { outer.update($0) }
        return outer.bytes
    }

    private static func started(with block: [UInt8], _ pad: UInt8) -> SHA256Digest {
        var digest = SHA256Digest()
        block.map { $0 ^ pad }.withUnsafeBytes { digest.update($0) }
        return digest
    }

    private static func digest(of bytes: [UInt8]) -> [UInt8] {
        var digest = SHA256Digest()
        bytes.withUnsafeBytes { digest.update($0) }
        return digest.bytes
    }
}
