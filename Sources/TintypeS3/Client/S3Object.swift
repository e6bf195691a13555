import TintypeCore

/// The name of an object in a store.
public struct S3Object: Hashable, Sendable, CustomStringConvertible {
    /// The longest key in bytes of UTF-8 (Amazon S3 User Guide, "Naming Amazon S3 objects").
    private static let maximumKeyLength = 1024

    /// The name of the bucket.
    public var bucket: String
    /// The key in the bucket, not encoded. It has no leading slash, unless the slash is part of it.
    public var key: String
    /// The version; `nil` for the current one.
    public var version: String?

    /// Creates a name.
    public init(bucket: String, key: String, version: String? = nil) {
        self.bucket = bucket
        self.key = key
        self.version = version
    }

    /// The name in the form `s3://bucket/key?version`, without percent-encoding.
    public var description: String { "s3://\(bucket)/\(key)\(version.map { "?\($0)" } ?? "")" }

    /// Checks the name before it becomes a path.
    ///
    /// Proxies, and some servers, resolve the path segments `.` and `..` (RFC 3986, 5.2.4), and SeaweedFS reads a
    /// backslash as a slash. A key with such a segment could then name an object of another bucket, which may be
    /// forbidden.
    ///
    /// - Throws: `TintypeError.Code.invalidSource`.
    func validate() throws(TintypeError) {
        guard Self.isBucket(bucket) else { throw invalid("not the name of a bucket") }
        guard !key.isEmpty else { throw invalid("the key is empty") }
        guard key.utf8.count <= Self.maximumKeyLength else {
            throw invalid("the key has more than \(Self.maximumKeyLength) bytes")
        }
        guard version.map({ !$0.isEmpty && $0.utf8.count <= Self.maximumKeyLength }) ?? true else {
            throw invalid("the version is empty or too long")
        }
        let segments = key.split { $0 == "/" || $0 == "\\" }
        guard !segments.contains("."), !segments.contains("..") else {
            throw invalid("the key has a segment . or .., which proxies and servers may resolve")
        }
    }

    private func invalid(_ message: String) -> TintypeError {
        TintypeError(.invalidSource, stage: .load, message, subject: description.abbreviated(to: 200))
    }

    /// Whether a text can be the name of a bucket: that of AWS (3 to 63 letters in lower case, digits, dots and
    /// hyphens), or a more general one that other stores allow.
    static func isBucket(_ name: String) -> Bool {
        guard (1...255).contains(name.utf8.count), name != ".", name != ".." else { return false }
        return name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
}
