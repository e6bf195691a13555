package import Foundation

/// The URL of a source, cut into its parts, each of which has only characters that belong there.
///
/// Whoever compares a URL and whoever loads it must read it alike. So ``url`` is written anew from the parts, and a URL
/// that other programs could cut at another place, such as one with a backslash in its host, is refused.
package struct SourceURL: Hashable, Sendable {
    /// The scheme in lower case.
    package let scheme: String
    /// The user information before the host, percent-encoded; `nil` if there is none.
    package let userInfo: String?
    /// The host in lower case; empty if the scheme needs none. An IPv6 address is in brackets.
    package let host: String
    /// The port, if one is named.
    package let port: Int?
    /// The path with its leading slash, or empty; percent-encoded where necessary.
    package let path: String
    /// The query without its question mark, percent-encoded where necessary; `nil` if there is none.
    package let query: String?

    /// The whole URL, without a fragment.
    package var text: String {
        let authority = (userInfo.map { $0 + "@" } ?? "") + host + (port.map { ":\($0)" } ?? "")
        return "\(scheme)://\(authority)\(path)" + (query.map { "?" + $0 } ?? "")
    }

    /// The whole URL. `nil` only if Foundation has other rules than RFC 3986.
    package var url: URL? { URL(string: text) }

    /// The port at which a server of the scheme is expected; `nil` if the scheme has none.
    package var effectivePort: Int? { port ?? Self.defaultPort(of: scheme) }

    static func defaultPort(of scheme: String) -> Int? { ["http": 80, "https": 443][scheme] }
}

extension SourceURL {
    /// Cuts an absolute URL into its parts (RFC 3986, 3). Characters that a path or a query cannot have are
    /// percent-encoded; the fragment is dropped.
    ///
    /// - Throws: ``ImageURLError/Kind/source`` if the URL is relative, or its authority is malformed.
    package init(_ text: String) throws(ImageURLError) {
        guard let (scheme, rest) = text.cut(at: "://"), let first = scheme.utf8.first, first.isASCIILetter,
            scheme.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || "+-.".utf8.contains($0) })
        else { throw Self.error("the source must be an absolute URL such as https://host/path") }
        self.scheme = scheme.lowercased()
        let whole = Array(rest.utf8).prefix { $0 != UInt8(ascii: "#") }
        let authority = whole.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        let path = whole.dropFirst(authority.count).prefix { $0 != UInt8(ascii: "?") }
        let query = whole.dropFirst(authority.count + path.count)
        (userInfo, host, port) = try Self.authority(authority, ofScheme: self.scheme)
        self.path = Self.encoded(path)
        self.query = query.isEmpty ? nil : Self.encoded(query.dropFirst())
    }

    private static func authority(
        _ bytes: ArraySlice<UInt8>, ofScheme scheme: String
    ) throws(ImageURLError) -> (userInfo: String?, host: String, port: Int?) {
        let at = bytes.lastIndex(of: UInt8(ascii: "@"))
        let userInfo = at.map { bytes[..<$0] }
        var host = at.map { bytes[($0 + 1)...] } ?? bytes
        guard userInfo?.allSatisfy({ isUnreserved($0) || "%:!$&'()*+,;=".utf8.contains($0) }) ?? true else {
            throw error("the user name or password of the source has a character that must be percent-encoded")
        }
        var port: Int?
        // The colons of an IPv6 address are inside its brackets.
        if let colon = host.lastIndex(of: UInt8(ascii: ":")), !host[colon...].contains(UInt8(ascii: "]")) {
            let digits = host[(colon + 1)...]
            guard digits.allSatisfy(\.isASCIIDigit), let number = Int(String(decoding: digits, as: UTF8.self)),
                (1...65_535).contains(number)
            else { throw error("the port of the source must be a number from 1 to 65535") }
            port = number
            host = host[..<colon]
        }
        guard isHost(host), !host.isEmpty || !["http", "https"].contains(scheme) else {
            throw error("the host of the source must be a name in ASCII (xn--… for others) or an address")
        }
        return (
            userInfo.map { String(decoding: $0, as: UTF8.self) },
            String(decoding: host, as: UTF8.self).lowercased(), port
        )
    }

    /// Whether bytes are a host without percent-encoding, or empty.
    private static func isHost(_ bytes: ArraySlice<UInt8>) -> Bool {
        if bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]") {
            return bytes.dropFirst().dropLast().allSatisfy { $0.hexadecimalValue != nil || ":.".utf8.contains($0) }
        }
        return bytes.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "-._".utf8.contains($0) }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || "-._~".utf8.contains(byte)
    }

    /// Returns bytes of a path or query as text. An escape stays as it is; a lone percent sign is encoded.
    private static func encoded(_ bytes: ArraySlice<UInt8>) -> String {
        var text = [UInt8]()
        for (index, byte) in zip(bytes.indices, bytes) {
            let isEscape =
                byte == UInt8(ascii: "%") && bytes[index...].dropFirst().prefix(2).count == 2
                && bytes[index...].dropFirst().prefix(2).allSatisfy { $0.hexadecimalValue != nil }
            if isEscape || isUnreserved(byte) || "/?:@!$&'()*+,;=".utf8.contains(byte) {
                text.append(byte)
            } else {
                text += Array("%".utf8) + Array([byte].uppercaseHexadecimal.utf8)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func error(_ detail: String) -> ImageURLError { ImageURLError(.source, detail) }
}

extension [UInt8] {
    /// The bytes as hexadecimal digits in upper case, two for each, as in percent-encoding (RFC 3986, 2.1).
    var uppercaseHexadecimal: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }
}
