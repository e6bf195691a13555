import CLibMD
package import Foundation

/// The SHA-256 digest (FIPS 180-4) of bytes that arrive in parts.
package struct SHA256Digest: Sendable {
    private var context: SHA2_CTX

    /// Creates the digest of no bytes.
    package init() {
        context = SHA2_CTX()
        SHA256Init(&context)
    }

    /// Adds bytes at the end.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        SHA256Update(&context, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
    }

    /// Adds bytes at the end.
    package mutating func update(_ data: Data) {
        data.withUnsafeBytes { update($0) }
    }

    /// Adds the UTF-8 bytes of a text at the end.
    package mutating func update(_ text: String) {
        var text = text
        text.withUTF8 { update(UnsafeRawBufferPointer($0)) }
    }

    /// The 32 bytes of the digest. More bytes can be added afterwards.
    package var bytes: [UInt8] {
        var context = context
        var bytes = [UInt8](repeating: 0, count: 32)
        SHA256Final(&bytes, &context)
        return bytes
    }

    /// The digest as 64 hexadecimal digits in lowercase.
    package var hexadecimal: String { bytes.hexadecimal }

    /// Returns the digest of bytes, as 64 hexadecimal digits in lowercase.
    package static func hexadecimal(of data: Data) -> String {
        var digest = SHA256Digest()
        digest.update(data)
        return digest.hexadecimal
    }
}

/// The MD5 digest (RFC 1321), for names and protocols that require it. It protects nothing.
package enum MD5Digest {
    /// Returns the digest of the UTF-8 bytes of a text, as 32 hexadecimal digits in lowercase.
    package static func hexadecimal(of text: String) -> String {
        var (text, context) = (text, MD5_CTX())
        MD5Init(&context)
        text.withUTF8 { MD5Update(&context, $0.baseAddress, $0.count) }
        var bytes = [UInt8](repeating: 0, count: 16)
        MD5Final(&bytes, &context)
        return bytes.hexadecimal
    }
}

/// The SHA-1 digest (FIPS 180-4), for names and protocols that require it. It protects nothing.
package enum SHA1Digest {
    /// Returns the digest of the UTF-8 bytes of a text, as 40 hexadecimal digits in lowercase.
    package static func hexadecimal(of text: String) -> String {
        var (text, context) = (text, SHA1_CTX())
        SHA1Init(&context)
        text.withUTF8 { SHA1Update(&context, $0.baseAddress, $0.count) }
        var bytes = [UInt8](repeating: 0, count: 20)
        SHA1Final(&bytes, &context)
        return bytes.hexadecimal
    }
}

extension Sequence<UInt8> {
    /// The bytes as hexadecimal digits in lowercase, two for each.
    package var hexadecimal: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
