package import Foundation

/// The identity of an image in every cache and in every table of coalesced work: its source and its rendition.
///
/// Both strings and their hash are computed when the key is created, so a lookup builds no string and allocates
/// nothing. Copying a key is one retain.
public struct CacheKey: Hashable, Sendable {
    private let storage: Storage
    /// The hash of both strings, outside the storage so that hashing does not follow the reference.
    let storedHash: Int

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - source: The identity of the encoded bytes, normally the absolute URL.
    ///   - rendition: The identity of the pixels made from these bytes: ``Rendition/identifier``. Empty for the
    ///     original.
    public init(source: String, rendition: String = "") {
        storage = Storage(source: source, rendition: rendition)
        var hasher = Hasher()
        hasher.combine(source)
        hasher.combine(rendition)
        storedHash = hasher.finalize()
    }

    /// The identity of the encoded bytes.
    public var source: String { storage.source }
    /// The identity of the pixels; empty for the original.
    public var rendition: String { storage.rendition }

    /// The number of bytes of both strings. O(1).
    var byteCount: Int { storage.source.utf8.count + storage.rendition.utf8.count }

    /// Whether the source is short enough for a table that bounds only the number of its sources: at most 4096 bytes.
    /// The identity of a data URL contains its bytes.
    static func isShort(_ source: String) -> Bool { source.utf8.count <= 4096 }

    /// Whether this key names the original bytes rather than a rendition of them.
    package var isOriginal: Bool { storage.rendition.isEmpty }

    /// The key of the original bytes that this image is made from.
    package var original: CacheKey { isOriginal ? self : CacheKey(source: source) }

    /// Returns whether two keys have the same source and the same rendition.
    public static func == (left: CacheKey, right: CacheKey) -> Bool {
        left.storage === right.storage
            || left.storedHash == right.storedHash
                && left.storage.source == right.storage.source
                && left.storage.rendition == right.storage.rendition
    }

    /// Feeds the stored hash to a hasher. O(1).
    public func hash(into hasher: inout Hasher) {
        hasher.combine(storedHash)
    }

    /// Returns the stored hash, whose seed is random in each process, instead of hashing it again for each lookup.
    ///
    /// The lowest bits choose a shard of the memory cache, so they become the highest: a dictionary uses the lowest
    /// ones.
    public func _rawHashValue(seed: Int) -> Int {
        let bits = UInt(bitPattern: storedHash)
        return Int(bitPattern: bits >> 8 | bits << (UInt.bitWidth - 8)) ^ seed
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
    /// The source, followed by the rendition if there is one.
    public var description: String { isOriginal ? source : "\(source) → \(rendition)" }

    /// The description as a log shows it: on one line, and shortened, because a data URL can have megabytes.
    var logText: String { description.abbreviated(to: 400).printable }
}

/// The parts of the identity of a source in cache keys: its URL, and what else distinguishes its bytes.
package struct SourceIdentity: Hashable, Sendable {
    /// The URL without user name and password; for bytes, closures and models of a program, all of the identity.
    package let url: String
    /// The parts that distinguish the bytes from other bytes of the URL: the method if it is not `GET`, the digest of
    /// the header fields, the digest of the user name and password, and the number of an HTTP variant. Empty for a
    /// plain request.
    package let variant: [String]

    /// Reads the source of a cache key: ``ImageSource/identity``, or a variant of it.
    package init(_ source: String) {
        guard !["bytes:", "closure:", "custom:"].contains(where: source.hasPrefix) else {
            (url, variant) = (source, [])
            return
        }
        // A URL contains neither spaces nor line breaks.
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let words = lines[0].split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let method = words.count > 1 && words[0] != "url" && words[0] != "GET" ? [words[0]] : []
        (url, variant) = (words[words.count - 1], method + lines.dropFirst())
    }

    /// Returns whether this identity has the URL of `other`, and all parts of its ``variant``.
    ///
    /// - Parameter other: An identity that may have fewer parts, such as that of a plain request.
    package func matches(_ other: SourceIdentity) -> Bool {
        url == other.url && other.variant.allSatisfy(variant.contains)
    }
}

/// Digests that replace secrets in keys. Keys are written to disk, so they must not contain secrets.
enum SecretDigest {
    /// Returns the SHA-256 digest of a text in hexadecimal digits.
    static func of(_ text: String) -> String {
        SHA256Digest.hexadecimal(of: Data(text.utf8))
    }
}

extension URL {
    /// The identity of the URL in keys: the absolute URL, with a digest in place of a user name and password.
    var identity: String {
        guard hasCredential else { return absoluteString }
        let secret = "\(user() ?? ""):\(password() ?? "")"
        return "\(withoutCredential.absoluteString)\ncredential \(SecretDigest.of(secret))"
    }

    /// The URL without the user name and password of its authority.
    package var withoutCredential: URL {
        guard hasCredential, var components = URLComponents(url: self, resolvingAgainstBaseURL: true) else {
            return self
        }
        components.user = nil
        components.password = nil
        return components.url ?? self
    }

    private var hasCredential: Bool { user(percentEncoded: true) != nil }
}

/// The properties by which caches distinguish the images of local files.
public enum FileIdentity: Hashable, Sendable {
    /// The path alone. A file that changed is still shown as it was, until the caches drop its image.
    case path
    /// The path, the time of the last modification and the size. A file that changed is another image.
    ///
    /// Each request for a file reads these from the file system, on the caller's thread. That takes microseconds on a
    /// local disk, and may wait on a network file system.
    case modification
}

extension ImageRequest {
    /// Whether disk caches may store renditions of the source. Renditions of a local file are stored only if the policy
    /// allows it and the key changes with the file.
    var mayBeOnDisk: Bool {
        source.isWorthKeepingOnDisk
            || policy.caching.localFiles == .disk && source.expectedOrigin == .file && isIdentifiedByModification
    }

    /// Whether the key has the form that ``identifiedByModification()`` gives it. The program or a ``CacheKeyFilter``
    /// may have set another identity, which does not change with the file.
    private var isIdentifiedByModification: Bool { identity?.hasPrefix("\(source.identity)\nmodified ") ?? false }

    /// Returns the request with the time of modification and the size of its file in the identity. A request for
    /// anything else, for a file that does not exist, or with an identity of its own is returned unchanged. Blocks.
    func identifiedByModification() -> ImageRequest {
        guard facts.isForFile, let path = source.url?.path(percentEncoded: false) else { return self }
        var facts = stat()
        // `withCString`, because passing a string to a C function copies it.
        guard path.withCString({ stat($0, &facts) }) == 0, facts.st_mode & S_IFMT == S_IFREG else { return self }
        let (time, size) = (facts.st_mtim, facts.st_size)
        var identity = key.source
        // An interpolation would allocate three times.
        identity.reserveCapacity(identity.utf8.count + 64)
        identity += "\nmodified "
        identity += String(time.tv_sec)
        identity += "."
        identity += String(time.tv_nsec)
        identity += " size "
        identity += String(size)
        return with { $0.identity = identity }
    }
}
