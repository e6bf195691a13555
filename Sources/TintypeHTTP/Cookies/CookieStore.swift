public import Foundation
import TintypeCore

/// The cookies of a downloader, in memory.
///
/// Only requests with ``HTTPOptions/usesCookies`` send cookies and let responses set them. All methods may be called
/// from any thread.
public final class CookieStore: Sendable {
    private let jar = Locked(CookieJar())

    /// Creates an empty store.
    public init() {}

    /// The stored cookies, the oldest first.
    public var cookies: [Cookie] { jar.withLock { $0.cookies } }

    /// Stores the cookies of `Set-Cookie` fields.
    ///
    /// - Parameters:
    ///   - fields: The values of the fields. Invalid ones are ignored.
    ///   - url: The URL of the response that sets the cookies.
    ///   - now: The time of the response.
    public func take(_ fields: [String], from url: URL, at now: Date = Date()) {
        guard !fields.isEmpty else { return }
        jar.withLock { $0.take(fields, from: url, at: now) }
    }

    /// Removes all cookies.
    public func clear() {
        jar.withLock { $0 = CookieJar() }
    }

    /// Returns the value of the `Cookie` field for a request; `nil` when no cookie matches.
    func header(for url: URL, at now: Date) -> String? {
        jar.withLock { $0.header(for: url, at: now) }
    }
}

/// Decides which cookies are stored and which are sent, within limits. A pure struct: the time is an argument.
struct CookieJar: Sendable {
    // The minimum that RFC 6265, 6.1 requires.
    static let maximumPerDomain = 50
    static let maximumCount = 3000
    /// The maximum size of a `Cookie` field in bytes. Servers refuse requests with larger heads, so that a host could make
    /// another one below the same domain unreachable.
    static let maximumFieldByteCount = 8192
    /// The maximum number of fields of one response that are read: the last ones, since later cookies replace others.
    static let maximumPerResponse = 100

    /// The oldest first.
    private(set) var cookies: [Cookie] = []

    /// Stores the cookies that a response sets. An expired cookie removes the one that it replaces.
    mutating func take(_ fields: [String], from url: URL, at now: Date) {
        for field in fields.suffix(Self.maximumPerResponse) {
            guard let cookie = Cookie(field, from: url, at: now), mayStore(cookie, from: url) else { continue }
            replace(cookie, at: now)
        }
    }

    /// Returns the value of the `Cookie` field for a request; `nil` when no cookie matches.
    func header(for url: URL, at now: Date) -> String? {
        // Longer paths first, and older cookies first among equals (RFC 6265, 5.4).
        let matching = cookies.enumerated().filter { $0.element.matches(url, at: now) }
            .sorted { ($1.element.path.count, $0.offset) < ($0.element.path.count, $1.offset) }
        var header = ""
        for cookie in matching.map(\.element) {
            let pair = (header.isEmpty ? "" : "; ") + "\(cookie.name)=\(cookie.value)"
            if header.utf8.count + pair.utf8.count <= Self.maximumFieldByteCount { header += pair }
        }
        return header.isEmpty ? nil : header
    }

    /// Whether a response may set a cookie beside those that are stored. Without TLS, it must neither replace nor hide one
    /// that was set for TLS alone (6265bis, 5.7, step 16).
    private func mayStore(_ cookie: Cookie, from url: URL) -> Bool {
        url.isEncrypted
            || !cookies.contains { other in
                other.isSecure && other.name == cookie.name && Cookie.path(other.path, covers: cookie.path)
                    && (Cookie.domain(other.domain, covers: cookie.domain)
                        || Cookie.domain(cookie.domain, covers: other.domain))
            }
    }

    private mutating func replace(_ cookie: Cookie, at now: Date) {
        cookies.removeAll { other in
            other.name == cookie.name && other.domain == cookie.domain && other.path == cookie.path
                || other.expires.map { $0 <= now } ?? false
        }
        guard cookie.expires.map({ $0 > now }) ?? true else { return }
        cookies.append(cookie)
        if cookies.count(where: { $0.domain == cookie.domain }) > Self.maximumPerDomain {
            removeOldest { $0.domain == cookie.domain }
        }
        if cookies.count > Self.maximumCount { removeOldest { _ in true } }
    }

    /// Removes the oldest of some cookies: one that is not for TLS alone, if there is any (6265bis, 5.7), so that a server
    /// without TLS cannot evict the others.
    private mutating func removeOldest(where isCandidate: (Cookie) -> Bool) {
        let index =
            cookies.firstIndex { isCandidate($0) && !$0.isSecure } ?? cookies.firstIndex(where: isCandidate)
        if let index { cookies.remove(at: index) }
    }
}
