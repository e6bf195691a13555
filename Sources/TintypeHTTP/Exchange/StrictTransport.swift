import Foundation
import TintypeCore

/// The hosts that want to be reached over TLS alone (RFC 6797). A pure struct: the time is an argument.
///
/// Not that of libcurl, which would change the URL after the cookies, the proxy, the settings of TLS and the base of
/// redirects were chosen.
struct StrictTransport: Sendable {
    /// The maximum number of hosts. Those that expire first are forgotten.
    static let maximumHostCount = 1000

    /// The directives of one host.
    private struct Policy: Sendable {
        let expires: Date
        let includesSubdomains: Bool
    }

    private var policies: [String: Policy] = [:]

    /// The number of hosts, expired ones included.
    var hostCount: Int { policies.count }

    /// Stores, replaces or removes the policy of a host, as a response demands.
    ///
    /// - Parameters:
    ///   - headers: The fields of the response. Only the first `Strict-Transport-Security` field counts (8.1).
    ///   - url: The URL of the response, whose certificate was checked if it has one.
    mutating func store(_ headers: HTTPFields, from url: URL, at now: Date) {
        guard let field = headers.values("strict-transport-security").first, url.isEncrypted,
            let host = Self.name(of: url), let policy = Self.policy(field, at: now)
        else { return }
        policies[host] = policy.expires > now ? policy : nil
        guard policies.count > Self.maximumHostCount else { return }
        if let first = policies.min(by: { $0.value.expires < $1.value.expires }) { policies[first.key] = nil }
    }

    /// Returns the `https:` URL to request instead of an `http:` URL (8.3); `nil` if its host does not want TLS.
    func secureURL(for url: URL, at now: Date) -> URL? {
        guard !policies.isEmpty, !url.isEncrypted, url.isHTTP, applies(to: url, at: now) else { return nil }
        var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        components?.scheme = "https"
        if components?.port == 80 { components?.port = 443 }
        return components?.url
    }

    /// Whether the host of a URL, or one that includes its subdomains, has a policy (8.2).
    private func applies(to url: URL, at now: Date) -> Bool {
        guard let host = Self.name(of: url) else { return false }
        var name = Substring(host)
        while true {
            if let policy = policies[String(name)], policy.expires > now,
                policy.includesSubdomains || name.count == host.count
            {
                return true
            }
            guard let dot = name.firstIndex(of: ".") else { return false }
            name = name[name.index(after: dot)...]
        }
    }

    /// The name of the host without the dot at its end; `nil` for an address (8.1.1), or if no host has such a name.
    private static func name(of url: URL) -> String? {
        let host = url.plainHost
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        return name.isEmpty || name.utf8.count > 253 || AddressLiteral.address(name) != nil ? nil : name
    }

    /// Parses a field (6.1); `nil` if it is not valid.
    private static func policy(_ field: String, at now: Date) -> Policy? {
        var directives: [String: String] = [:]
        for element in HTTPList.elements(field, separator: ";") {
            let parts = element.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = HTTPList.trimmed(parts[0]).lowercased()
            let value = parts.count > 1 ? HTTPList.unquoted(HTTPList.trimmed(parts[1])) : ""
            guard directives.updateValue(value, forKey: name) == nil else { return nil }
        }
        guard let age = directives["max-age"], !age.isEmpty, age.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        // Longer than any program runs.
        let seconds = min(Int(age) ?? .max, 1 << 32)
        return Policy(
            expires: now.addingTimeInterval(TimeInterval(seconds)),
            includesSubdomains: directives["includesubdomains"] != nil)
    }
}

extension Transfer {
    /// Returns the `https:` URL to request instead of another one; `nil` for that one.
    func secureURL(for url: URL) -> URL? {
        guard settings.configuration.usesHSTS, !url.isEncrypted else { return nil }
        let now = clock.date()
        return services.strictTransport.withLock { $0.secureURL(for: url, at: now) }
    }

    /// Stores what a response says about its host. A host whose certificate is not checked may be another one.
    func storeStrictTransport(_ headers: HTTPFields, from url: URL) {
        guard settings.configuration.usesHSTS, url.isEncrypted,
            !settings.acceptsUncheckedCertificate(of: url, origin: request.url)
        else { return }
        let now = clock.date()
        services.strictTransport.withLock { $0.store(headers, from: url, at: now) }
    }
}
