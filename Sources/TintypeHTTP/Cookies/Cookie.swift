public import Foundation

/// A cookie as it is kept (RFC 6265, 5.3).
public struct Cookie: Hashable, Sendable {
    public var name: String
    public var value: String
    public var domain: String
    public var path: String
    /// Sent to the host that set it and to no other.
    public var isHostOnly: Bool
    /// Sent over TLS only.
    public var isSecure: Bool
    /// `nil` lasts as long as the process.
    public var expires: Date?

    /// Whether it goes with a request (RFC 6265, 5.4).
    func matches(_ url: URL, at now: Date) -> Bool {
        guard let host = url.host()?.lowercased(), expires.map({ $0 > now }) ?? true else { return false }
        return (isHostOnly ? host == domain : Self.domain(domain, covers: host))
            && Self.path(path, covers: url.path(percentEncoded: true))
            && (!isSecure || url.isEncrypted)
    }

    /// RFC 6265, 5.1.3.
    static func domain(_ domain: String, covers host: String) -> Bool {
        host == domain || host.hasSuffix(".\(domain)") && IPAddress(host) == nil
    }

    /// RFC 6265, 5.1.4.
    static func path(_ path: String, covers other: String) -> Bool {
        let other = other.isEmpty ? "/" : other
        return other == path
            || other.hasPrefix(path) && (path.hasSuffix("/") || other.dropFirst(path.count).hasPrefix("/"))
    }
}

extension Cookie {
    /// Reads a `Set-Cookie` field (RFC 6265, 5.2 and 5.3); `nil` for what is not one, or is not this host's to set.
    init?(_ field: String, from url: URL, at now: Date) {
        let parts = field.split(separator: ";", omittingEmptySubsequences: false)
        guard field.utf8.count <= 4096, let host = url.host()?.lowercased(), let pair = parts.first,
            let equals = pair.firstIndex(of: "=")
        else { return nil }
        name = HTTPList.trimmed(pair[..<equals])
        value = HTTPList.trimmed(pair[pair.index(after: equals)...])
        guard !name.isEmpty, Self.isPlain(name), Self.isPlain(value) else { return nil }
        let attributes = Self.attributes(parts.dropFirst())
        isSecure = attributes["secure"] != nil
        path = Self.path(attributes["path"], for: url)
        expires = Self.expiry(attributes, at: now)
        let named = String((attributes["domain"] ?? "").lowercased().trimmingPrefix("."))
        // What stands for no family of hosts still stands for itself (5.3, step 5).
        isHostOnly = named.isEmpty || named == host && !Self.isFamily(named)
        domain = named.isEmpty ? host : named
        guard isHostOnly || Self.isFamily(domain) && Self.domain(domain, covers: host) else { return nil }
        guard !isSecure || url.isEncrypted else { return nil }
    }

    /// Whether a domain may stand for the hosts below it: not a whole top level, which no host may speak for, and not an
    /// address. Other public suffixes, such as `co.uk`, are not known here.
    private static func isFamily(_ domain: String) -> Bool {
        domain.dropFirst().dropLast().contains(".") && IPAddress(domain) == nil
    }

    /// The last one of a name counts.
    private static func attributes(_ parts: ArraySlice<Substring>) -> [String: String] {
        var attributes: [String: String] = [:]
        for part in parts {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            attributes[HTTPList.trimmed(pair[0]).lowercased()] = pair.count > 1 ? HTTPList.trimmed(pair[1]) : ""
        }
        return attributes
    }

    /// RFC 6265, 5.1.4: the folder of the request when there is none.
    private static func path(_ attribute: String?, for url: URL) -> String {
        if let attribute, attribute.hasPrefix("/") { return attribute }
        let path = url.path(percentEncoded: true)
        guard path.hasPrefix("/"), let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// `Max-Age` counts more than `Expires`.
    private static func expiry(_ attributes: [String: String], at now: Date) -> Date? {
        if let seconds = attributes["max-age"].flatMap({ Int($0) }) {
            return seconds <= 0 ? .distantPast : now.addingTimeInterval(Double(min(seconds, 1 << 40)))
        }
        return attributes["expires"].flatMap(HTTPDate.parse)
    }

    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}
