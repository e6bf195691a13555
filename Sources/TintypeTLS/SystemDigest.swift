import CTintypeTLS
package import Foundation
import TintypeCore

/// The SHA-256 digest (FIPS 180-4) of many bytes, by OpenSSL, which uses the instructions of the processor for it: the
/// source of an image is hashed ten times as fast as by ``SHA256Digest``.
package enum SystemDigest {
    /// The number of bytes below which loading or calling OpenSSL gains nothing.
    private static let smallest = 16 << 10

    /// Returns the 32 bytes of the digest. Without OpenSSL, ``SHA256Digest`` computes it.
    package static func sha256(_ data: Data) -> [UInt8] {
        guard data.count >= smallest, let library = try? TLSLibrary.standard.get() else {
            var digest = SHA256Digest()
            digest.update(data)
            return digest.bytes
        }
        return [UInt8](unsafeUninitializedCapacity: 32) { digest, count in
            guard let start = digest.baseAddress else { return }
            data.withUnsafeBytes { tintype_tls_sha256(library.functions, $0.baseAddress, $0.count, start) }
            count = 32
        }
    }
}
