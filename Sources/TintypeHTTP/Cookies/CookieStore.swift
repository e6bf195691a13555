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
    /// The limits are the minimum that RFC 6265, 6.1 requires.
    static let maximumPerDomain = 50
    static let maximumCount = 3000

    /// The oldest first.
    private(set) var cookies: [Cookie] = []

    /// Stores the cookies that a response sets. An expired cookie removes the one that it replaces.
    mutating func take(_ fields: [String], from url: URL, at now: Date) {
        for field in fields {
            guard let cookie = Cookie(field, from: url, at: now) else { continue }
            replace(cookie, at: now)
        }
    }

    /// Returns the value of the `Cookie` field for a request; `nil` when no cookie matches.
    func header(for url: URL, at now: Date) -> String? {
        // Longer paths first, and older cookies first among equals (RFC 6265, 5.4).
        let matching = cookies.enumerated().filter { $0.element.matches(url, at: now) }
            .sorted { ($1.element.path.count, $0.offset) < ($0.element.path.count, $1.offset) }
        guard !matching.isEmpty else { return nil }
        return matching.map { "\($0.element.name)=\($0.element.value)" }.joined(separator: "; ")
    }

    private mutating func replace(_ cookie: Cookie, at now: Date) {
        cookies.removeAll { other in
            other.name == cookie.name && other.domain == cookie.domain && other.path == cookie.path
                || other.expires.map { $0 <= now } ?? false
        }
        guard cookie.expires.map({ $0 > now }) ?? true else { return }
        cookies.append(cookie)
        if cookies.count(where: { $0.domain == cookie.domain }) > Self.maximumPerDomain,
            let oldest = cookies.firstIndex(where: { $0.domain == cookie.domain })
        {
            cookies.remove(at: oldest)
        }
        if cookies.count > Self.maximumCount { cookies.removeFirst() }
    }
}
