import Foundation

/// The host of a URL.
enum HostName {
    /// The characters that are not part of a host name (WHATWG URL, 3.1), beside spaces and control characters.
    private static let forbidden = Set("\"#%/:<>?@[\\]^`{|}".utf8)

    /// Whether a host is a name or an address.
    ///
    /// A URL may contain any character in percent encoding, which the client decodes. A line break would end the line of
    /// a `CONNECT` request or a `Host` field, and a zero the name that the system resolves.
    ///
    /// - Parameter host: A host without percent encoding and brackets.
    static func isValid(_ host: String) -> Bool {
        guard !host.isEmpty else { return false }
        // Only an IPv6 address has colons. The name of an interface may follow it (RFC 4007, 11).
        let address = host.prefix { $0 != "%" }
        if address.utf8.contains(UInt8(ascii: ":")) {
            return IPAddress(String(address)) != nil && host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        }
        return host.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && !forbidden.contains($0) }
    }
}

extension URL {
    /// The host in lowercase, without percent encoding and the brackets of an IPv6 address; empty if there is none.
    var plainHost: String { Self.withoutBrackets(host(percentEncoded: false)?.lowercased() ?? "") }

    /// The host as the client reads it from a URL, which is the key of its table of addresses.
    var clientHost: String { Self.withoutBrackets(absoluteURL.host ?? "") }

    /// Returns a host without the brackets of an IPv6 address.
    static func withoutBrackets(_ host: String) -> String {
        host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }
}
