public import Foundation

/// Which bytes a picture is made of.
public enum ImageSource: Sendable {
    /// An `http`, `https`, `file` or `data` URL, or any other that a registered loader takes.
    case url(URL)
    /// An HTTP resource that is asked for with headers or a method of its own.
    case http(HTTPSource)
    /// Bytes that the program has already, under an identity of its choice.
    case bytes(Data, id: String)
    /// Bytes that the program makes when they are wanted, under an identity of its choice.
    case closure(id: String, @Sendable () async throws -> Data)

    /// The file at a path.
    public static func file(_ path: String) -> ImageSource {
        .url(URL(filePath: path))
    }

    /// What tells these bytes from all others, in keys.
    public var identity: String {
        switch self {
        case .url(let url): url.identity.asOfURL
        case .http(let source): source.identity
        case .bytes(_, let id): "bytes:\(id)"
        case .closure(let id, _): "closure:\(id)"
        }
    }

    /// What errors call it: the URL without a name and password, where there is one. Of a data URL only what its bytes
    /// are said to be.
    package var displayName: String {
        guard let url else { return identity }
        guard expectedOrigin == .data else { return url.withoutCredential.absoluteString }
        return "\(url.absoluteString.prefix { $0 != "," }.prefix(64)),…"
    }

    /// The URL, where there is one.
    public var url: URL? {
        switch self {
        case .url(let url): url
        case .http(let source): source.url
        case .bytes, .closure: nil
        }
    }

    /// Where its bytes come from, unless a cache has them.
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
        case .closure: .custom
        }
    }

    /// Whether its bytes, and what is made of them, may outlive the process: those of a file or a data URL are at
    /// hand anyway, and a file can change without its name.
    package var isWorthKeepingOnDisk: Bool {
        expectedOrigin == .network || expectedOrigin == .custom
    }
}

extension String {
    /// A URL from outside that reads as the name of a program's own bytes is not taken for these: no other begins so.
    fileprivate var asOfURL: String { hasPrefix("bytes:") || hasPrefix("closure:") ? "url \(self)" : self }
}

/// An HTTP resource asked for with headers or a method of its own; all of it is part of the identity of its bytes.
public struct HTTPSource: Hashable, Sendable {
    public var url: URL
    public var method: String
    /// Header fields by name; names are compared without case.
    public var headers: [String: String]

    public init(url: URL, method: String = "GET", headers: [String: String] = [:]) {
        self.url = url
        self.method = method
        self.headers = headers
    }

    /// The plain URL where nothing is special, so that it shares its key with ``ImageSource/url(_:)``. Header fields stand
    /// in it as a digest: they may be secret, and keys are written to disk.
    var identity: String {
        guard method != "GET" || !headers.isEmpty else { return url.identity }
        guard !headers.isEmpty else { return "\(method) \(url.identity)" }
        // With its length before it, no value can pass for two fields.
        let fields = headers.map { "\($0.key.lowercased()):\($0.value.utf8.count):\($0.value)" }.sorted().joined()
        return "\(method) \(url.identity)\nheaders \(SecretDigest.of(fields))"
    }
}

extension ImageSource {
    /// The pixels a point that the source's name tells: 2 for `logo@2x.png`, 3 for `logo@3x.png`, 1 for others.
    ///
    /// The rule of the original system: the mark may stand anywhere in a name of at least eight characters, and may be
    /// percent-encoded in a URL.
    var scaleInName: Double {
        // Few names have the first character of a mark, which is found much sooner than a mark.
        guard let name, name.utf8.count >= 8, name.utf8.contains(where: { $0 == 0x40 || $0 == 0x25 }) else { return 1 }
        return Self.marks.first { name.contains($0.mark) }?.scale ?? 1
    }

    private static let marks: [(mark: String, scale: Double)] = [
        ("@2x.", 2), ("%402x.", 2), ("@3x.", 3), ("%403x.", 3),
    ]

    /// What may carry a mark: not the megabytes of a data URL.
    private var name: String? {
        expectedOrigin == .data && url != nil ? nil : url?.absoluteString ?? identity
    }
}
