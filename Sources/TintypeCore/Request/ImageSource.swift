public import Foundation

/// The source of the encoded bytes of an image.
public enum ImageSource: Sendable {
    /// An `http`, `https`, `file` or `data` URL, or any other URL that a registered loader accepts.
    case url(URL)
    /// An HTTP resource that is requested with header fields or a method of its own.
    case http(HTTPSource)
    /// Bytes in memory, with an identity that the program chooses. Equal identities must mean equal bytes.
    case bytes(Data, id: String)
    /// A function that returns the bytes when they are needed, with an identity that the program chooses.
    case closure(id: String, @Sendable () async throws -> Data)
    /// A value of the program that stands for an image. ``ImageModel/mapper(_:)`` or
    /// ``ImageModel/loader(_:)`` know its type.
    case custom(any ImageModel)

    /// Returns the source for a file.
    ///
    /// - Parameter path: An absolute path, or one relative to the current directory.
    public static func file(_ path: String) -> ImageSource {
        .url(URL(filePath: path))
    }

    /// The string that distinguishes these bytes from all others in cache keys. It contains no secrets.
    public var identity: String {
        switch self {
        case .url(let url): url.identity.asURLIdentity
        case .http(let source): source.identity
        case .bytes(_, let id): "bytes:\(id)"
        case .closure(let id, _): "closure:\(id)"
        case .custom(let model): "custom:\(model.imageIdentity)"
        }
    }

    /// The name of the source in errors: its URL without user name and password, or else its identity.
    ///
    /// A data URL is shortened to its media type.
    package var displayName: String {
        guard let url else { return identity }
        guard expectedOrigin == .data else { return url.withoutCredential.absoluteString }
        return "\(url.absoluteString.prefix { $0 != "," }.prefix(64)),…"
    }

    /// The URL of the source; `nil` for bytes, closures and models.
    public var url: URL? {
        switch self {
        case .url(let url): url
        case .http(let source): source.url
        case .bytes, .closure, .custom: nil
        }
    }

    /// The scheme, host and port of the URL (RFC 6454, 4); `nil` for a source without host, which shares nothing with
    /// others.
    var webOrigin: String? {
        guard let url, let scheme = url.scheme, let host = url.host() else { return nil }
        return "\(scheme)://\(host):\(url.port.map(String.init) ?? "")".lowercased()
    }

    /// The origin of the bytes if no cache has them.
    var expectedOrigin: ImageOrigin {
        switch self {
        case .url(let url):
            switch url.scheme?.lowercased() {
            case "file": .file
            case "data": .data
            default: .network
            }
        case .http: .network
        case .bytes: .data
        case .closure, .custom: .custom
        }
    }

    /// Whether the source is a `file:` URL.
    ///
    /// - Parameter identity: The identity of the source. Its first letter decides for nearly all sources.
    func isFile(identity: String) -> Bool {
        guard case .url(let url) = self, let first = identity.utf8.first, first | 0x20 == UInt8(ascii: "f") else {
            return false
        }
        return url.isFileURL
    }

    /// Whether the bytes, and images made from them, may be stored on disk.
    ///
    /// The bytes of files and data URLs are available locally anyway, and a file can change without changing its name.
    package var isWorthKeepingOnDisk: Bool {
        expectedOrigin == .network || expectedOrigin == .custom
    }
}

extension String {
    /// The string, prefixed if it reads like the identity of ``ImageSource/bytes(_:id:)``,
    /// ``ImageSource/closure(id:_:)`` or ``ImageSource/custom(_:)``. A URL from outside must not be mistaken for the
    /// program's own bytes.
    fileprivate var asURLIdentity: String {
        hasPrefix("bytes:") || hasPrefix("closure:") || hasPrefix("custom:") ? "url \(self)" : self
    }
}

/// An HTTP resource that is requested with header fields or a method of its own. All of them are part of its identity.
public struct HTTPSource: Hashable, Sendable {
    /// The URL of the resource.
    package var url: URL
    /// The request method.
    package var method: String
    /// The header fields by name. Names are case-insensitive.
    public var headers: [String: String]

    /// Creates a source; by default a `GET` request without header fields.
    public init(url: URL, method: String = "GET", headers: [String: String] = [:]) {
        self.url = url
        self.method = method
        self.headers = headers
    }

    /// The identity of the URL, the method if it is not `GET`, and a digest of the header fields if there are any.
    ///
    /// A plain `GET` has the identity of ``ImageSource/url(_:)``. The fields are a digest because they may be secret
    /// and keys are written to disk.
    var identity: String {
        guard method != "GET" || !headers.isEmpty else { return url.identity.asURLIdentity }
        guard !headers.isEmpty else { return "\(method) \(url.identity)" }
        // The length before each value prevents one value from reading like two fields.
        let fields = headers.map { "\($0.key.lowercased()):\($0.value.utf8.count):\($0.value)" }.sorted().joined()
        return "\(method) \(url.identity)\nheaders \(SecretDigest.of(fields))"
    }
}

// MARK: - Scale

extension ImageSource {
    /// The scale in the source's name, in pixels per point: 2 for `logo@2x.png`, 3 for `logo@3x.png`, otherwise 1.
    ///
    /// The rule is SDWebImage's: the mark may be anywhere in a name of at least eight characters, and may be
    /// percent-encoded in a URL.
    package var scaleInName: Double { name.map { Self.scale(inName: $0) } ?? 1 }

    /// Returns the scale in a name: see ``scaleInName``.
    fileprivate static func scale(inName name: String) -> Double {
        // Few names contain the first character of a mark, and a byte search is much faster than a string search.
        guard name.utf8.count >= 8, name.utf8.contains(where: { $0 == 0x40 || $0 == 0x25 }) else { return 1 }
        return marks.first { name.contains($0.mark) }?.scale ?? 1
    }

    private static let marks: [(mark: String, scale: Double)] = [
        ("@2x.", 2), ("%402x.", 2), ("@3x.", 3), ("%403x.", 3),
    ]

    /// The URL or identity, which may contain a mark or an extension; `nil` for a data URL, which can have megabytes.
    package var name: String? {
        expectedOrigin == .data && url != nil ? nil : url?.absoluteString ?? identity
    }
}

extension CacheKey {
    /// The scale in the name of the source that this key names: see ``ImageSource/scaleInName``.
    var scaleInName: Double { name.map { ImageSource.scale(inName: $0) } ?? 1 }

    /// The name of the source that this key names: see ``ImageSource/name``.
    var name: String? { source.hasPrefix("data:") ? nil : source }
}
