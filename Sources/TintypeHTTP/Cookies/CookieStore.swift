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
