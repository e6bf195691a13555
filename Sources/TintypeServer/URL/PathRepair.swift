/// Undoes what proxies and browsers do to the path of an image URL, before its signature is verified.
///
/// Two changes are common: `:` in the options is percent-encoded, and two slashes are merged to one.
enum PathRepair {
    private static let plain = "/plain/"

    /// Returns the path as the client signed it. A path without damage is returned as it is.
    ///
    /// - Parameter path: What follows the signature. A leading slash is removed.
    static func repaired(_ path: String) -> String {
        let path = path.utf8.first == UInt8(ascii: "/") ? path : "/" + path
        guard let (options, source) = path.cut(at: plain) else { return withoutSlash(colons(path)) }
        return withoutSlash(colons(options) + plain + slashes(source))
    }

    /// Replaces `%3A` by a colon. Only the form that proxies write: a client may mean `%3a`.
    private static func colons(_ options: String) -> String {
        options.parts(separatedBy: "%3A").joined(separator: ":")
    }

    /// Restores the slashes after the scheme of a plain source: `http:/host` is `http://host`, and `local:/file` is
    /// `local:///file`, because `local` has no host.
    private static func slashes(_ source: String) -> String {
        guard let (scheme, rest) = source.cut(at: ":/"), isScheme(scheme), let first = rest.utf8.first,
            first != UInt8(ascii: "/")
        else { return source }
        return scheme + (scheme == "local" ? ":///" : "://") + rest
    }

    /// Whether a text is the scheme of a URI (RFC 3986, 3.1).
    private static func isScheme(_ text: String) -> Bool {
        guard let first = text.utf8.first, first.isASCIILetter else { return false }
        return text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "+-.".utf8.contains($0) }
    }

    private static func withoutSlash(_ path: String) -> String { path.dropping(prefix: "/") ?? path }
}

extension UInt8 {
    /// Whether the byte is one of `A…Z` and `a…z`.
    var isASCIILetter: Bool { (0x61...0x7a).contains(self | 0x20) }
    /// Whether the byte is one of `0…9`.
    var isASCIIDigit: Bool { (0x30...0x39).contains(self) }
}
