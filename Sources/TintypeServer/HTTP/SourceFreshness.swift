import Foundation
import TintypeHTTP

/// What the origin says about caching its image (RFC 9111 and RFC 5861), for a shared cache.
struct SourceFreshness: Hashable, Sendable {
    /// The seconds for which the response is still fresh; negative once it is stale, `nil` if the origin does not say.
    var remaining: Double?
    /// The seconds since the origin generated or confirmed the response.
    var age: Double
    /// Whether the response may be stored in any cache.
    var isStorable = true
    /// Whether the response is for one user only.
    var isPrivate = false
    /// Whether a stale response must not be used before revalidation, even if the origin fails.
    var mustRevalidate = false
    /// The seconds for which a stale response may be used during revalidation; `nil` if the origin does not say.
    var staleWhileRevalidate: Double?
    /// The seconds for which a stale response may be used after an error; `nil` if the origin does not say.
    var staleIfError: Double?

    /// A source without HTTP caching, such as a local file.
    static let unstated = SourceFreshness(remaining: nil, age: 0)

    init(remaining: Double?, age: Double) {
        self.remaining = remaining
        self.age = age
    }

    /// Reads the response of an origin.
    init(_ head: StoredHead, now: Date) {
        let control = CacheControl(head.headers)
        age = head.age(at: now)
        let isExplicit = control.has("s-maxage") || control.has("max-age") || head.headers.contains("expires")
        remaining = isExplicit ? head.freshnessLifetime(control, isShared: true) - age : nil
        if control.has("no-cache") { remaining = min(0, -age) }
        isStorable = !control.has("no-store")
        isPrivate = control.has("private")
        // `s-maxage` implies `proxy-revalidate` (RFC 9111, 5.2.2.10).
        mustRevalidate = ["must-revalidate", "proxy-revalidate", "s-maxage", "no-cache"].contains { control.has($0) }
        staleWhileRevalidate = control.seconds("stale-while-revalidate")
        staleIfError = control.seconds("stale-if-error")
    }
}
