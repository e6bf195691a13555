/// The two parts of an image URL: the signature, and the path that was signed.
package struct SignedPath: Hashable, Sendable {
    /// The first segment, as it was sent.
    package let signature: String
    /// The rest, without the leading slash, after ``PathRepair``.
    package let path: String

    /// The text under the signature: the path with its leading slash.
    package var signedText: String { "/" + path }
}

extension SignedPath {
    /// The longest request target that is read, in bytes. nginx refuses longer request lines than 8 KiB.
    static let maximumLength = 16_384

    /// Cuts the raw target of a request (RFC 9112, 3.2) into its parts.
    ///
    /// - Parameters:
    ///   - target: The target as it was sent: not decoded, with the query. The absolute form is accepted too.
    ///   - prefix: The path under which image URLs are served, such as `/images`; empty for the root.
    /// - Throws: ``ImageURLError/Kind/path`` if there are not two parts.
    package init(target: String, prefix: String = "") throws(ImageURLError) {
        guard target.utf8.count <= Self.maximumLength else {
            throw ImageURLError(.path, "the URL is longer than \(Self.maximumLength) bytes")
        }
        var path = Self.originForm(target.cut(at: "?")?.before ?? target)
        if !prefix.isEmpty, let rest = path.dropping(prefix: prefix), rest.utf8.first == UInt8(ascii: "/") {
            path = rest
        }
        path = path.dropping(prefix: "/") ?? path
        guard let (signature, rest) = path.cut(at: "/"), !signature.isEmpty, !rest.isEmpty else {
            throw ImageURLError(.path, "expected /SIGNATURE/OPTIONS/SOURCE, got only one segment")
        }
        self.signature = signature
        self.path = PathRepair.repaired(rest)
    }

    /// Cuts the raw target of a request, given as bytes.
    ///
    /// - Throws: ``ImageURLError/Kind/path`` if there are not two parts, or the bytes are not UTF-8.
    package init(bytes: some Collection<UInt8>, prefix: String = "") throws(ImageURLError) {
        guard let target = String(validating: bytes, as: UTF8.self) else {
            throw ImageURLError(.path, "the URL is not UTF-8; percent-encode bytes above 127")
        }
        try self.init(target: target, prefix: prefix)
    }

    /// Returns the path of a target in absolute form, which servers must accept (RFC 9112, 3.2.2).
    private static func originForm(_ target: String) -> String {
        let scheme = target.utf8.prefix(8).map { $0 | 0x20 }
        guard scheme.starts(with: "http://".utf8.map { $0 | 0x20 }) || scheme == "https://".utf8.map({ $0 | 0x20 }),
            let rest = target.cut(at: "://")?.after
        else { return target }
        return rest.cut(at: "/").map { "/" + $0.after } ?? "/"
    }
}
