public import Foundation
import TintypeCore

/// The cookies of a downloader, in memory. Only requests that ask for it send them and let them be set.
public final class CookieStore: Sendable {
    private let jar = Locked(CookieJar())

    public init() {}

    public var cookies: [Cookie] { jar.withLock { $0.cookies } }

    /// Takes the values of `Set-Cookie` fields as if a URL had answered with them.
    public func take(_ fields: [String], from url: URL, at now: Date = Date()) {
        guard !fields.isEmpty else { return }
        jar.withLock { $0.take(fields, from: url, at: now) }
    }

    public func clear() {
        jar.withLock { $0 = CookieJar() }
    }

    func header(for url: URL, at now: Date) -> String? {
        jar.withLock { $0.header(for: url, at: now) }
    }
}

/// Cookies within limits: decides which are kept and which are sent. Knows no time but what it is told.
struct CookieJar: Sendable {
    /// What RFC 6265, 6.1 asks of a user agent at least, and what bounds this one.
    static let maximumPerDomain = 50
    static let maximumCount = 3000

    /// The oldest first.
    private(set) var cookies: [Cookie] = []

    /// Takes the cookies that a response sets; one that has expired removes what it would replace.
    mutating func take(_ fields: [String], from url: URL, at now: Date) {
        for field in fields {
            guard let cookie = Cookie(field, from: url, at: now) else { continue }
            replace(cookie, at: now)
        }
    }

    /// The value of the `Cookie` field for a request; `nil` when none goes with it.
    func header(for url: URL, at now: Date) -> String? {
        // Longer paths first (RFC 6265, 5.4); the sort keeps the older first among equals.
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
