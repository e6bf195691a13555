import Foundation

/// The keyed hash HMAC (RFC 2104) over SHA-256.
package struct HMACSHA256: Sendable {
    /// The length of a block of SHA-256 in bytes (FIPS 180-4, 5.2.1).
    private static let blockLength = 64

    private var inner = SHA256Digest()
    private let outer: SHA256Digest

    /// Creates the hash of no bytes under a key of any length.
    package init(key: [UInt8]) {
        var block = key
        if key.count > Self.blockLength {
            var digest = SHA256Digest()
            digest.update(Data(key))
            block = digest.bytes
        }
        block += [UInt8](repeating: 0, count: Self.blockLength - block.count)
        var outer = SHA256Digest()
        inner.update(Data(block.map { $0 ^ 0x36 }))
        outer.update(Data(block.map { $0 ^ 0x5c }))
        self.outer = outer
    }

    /// Returns the 32 bytes of the hash of the bytes so far and a text in UTF-8, without adding it.
    package func hash(of text: String) -> [UInt8] {
        var copy = self
        copy.update(text)
        return copy.bytes
    }

    /// Adds bytes at the end.
    package mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { inner.update($0) }
    }

    /// Adds the UTF-8 bytes of a text at the end.
    package mutating func update(_ text: String) { inner.update(text) }

    /// The 32 bytes of the hash. More bytes can be added afterwards.
    package var bytes: [UInt8] {
        var outer = outer
        outer.update(Data(inner.bytes))
        return outer.bytes
    }
}
