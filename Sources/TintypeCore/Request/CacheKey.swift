import Crypto
package import Foundation

/// The identity of a picture in every cache and every table of shared work: which bytes, and which pixels of them.
///
/// Both parts and their hash are computed when the key is made, so a look-up builds no string and allocates nothing;
/// a copy is one retain.
public struct CacheKey: Hashable, Sendable {
    private let storage: Storage
    /// Beside the reference, so that hashing does not follow it.
    let storedHash: Int

    /// - Parameters:
    ///   - source: which bytes: normally the absolute URL.
    ///   - rendition: which pixels: ``Rendition/identifier``; empty for the original as it is.
    public init(source: String, rendition: String = "") {
        storage = Storage(source: source, rendition: rendition)
        var hasher = Hasher()
        hasher.combine(source)
        hasher.combine(rendition)
        storedHash = hasher.finalize()
    }

    /// Which bytes.
    public var source: String { storage.source }
    /// Which pixels of them; empty for the original as it is.
    public var rendition: String { storage.rendition }

    /// Whether this names the original bytes rather than pixels made of them.
    public var isOriginal: Bool { storage.rendition.isEmpty }

    /// The key of the bytes that this picture is made of.
    public var original: CacheKey { isOriginal ? self : CacheKey(source: source) }

    public static func == (left: CacheKey, right: CacheKey) -> Bool {
        left.storage === right.storage
            || left.storedHash == right.storedHash
                && left.storage.source == right.storage.source
                && left.storage.rendition == right.storage.rendition
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(storedHash)
    }

    private final class Storage: Sendable {
        let source: String
        let rendition: String

        init(source: String, rendition: String) {
            self.source = source
            self.rendition = rendition
        }
    }
}

extension CacheKey: CustomStringConvertible {
    public var description: String { isOriginal ? source : "\(source) → \(rendition)" }
}

/// What stands for a secret in a key: equal for equal ones, different for different ones, and no way back.
enum SecretDigest {
    /// SHA-256, in hexadecimal digits.
    static func of(_ text: String) -> String {
        SHA256.hash(data: Data(text.utf8)).map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}

extension URL {
    /// The URL as a key: as it is, but for a name and password in front of the host, which stand there as a digest.
    var identity: String {
        guard hasCredential else { return absoluteString }
        let secret = "\(user() ?? ""):\(password() ?? "")"
        return "\(withoutCredential.absoluteString)\ncredential \(SecretDigest.of(secret))"
    }

    /// Without the name and password in front of the host.
    package var withoutCredential: URL {
        guard hasCredential, var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return self }
        parts.user = nil
        parts.password = nil
        return parts.url ?? self
    }

    private var hasCredential: Bool { user(percentEncoded: true) != nil }
}
