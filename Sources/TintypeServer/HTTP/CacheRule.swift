import Foundation

/// The limits of the freshness that the server states, for the sources of one host. All values are in seconds.
struct FreshnessLimits: Hashable, Sendable {
    /// The freshness of a source that states none.
    var standard = 3600
    /// The minimum, also for sources that state less.
    var minimum = 0
    /// The maximum.
    var maximum = 31_536_000
    /// For how long a stale response may be used during revalidation, unless the source says otherwise.
    var staleWhileRevalidate = 86_400
    /// For how long a stale response may be used after an error, unless the source says otherwise.
    var staleIfError = 86_400

    /// The defaults.
    init() {}

    /// Returns the seconds of freshness within the limits. The maximum wins over the minimum.
    func clamp(_ seconds: Double) -> Int { Int(min(max(seconds, Double(minimum)), Double(maximum))) }
}

/// Limits by the host of the source.
struct HostCacheLimits: Hashable, Sendable {
    /// The limits of hosts that have none of their own.
    var standard = FreshnessLimits()
    /// The minimum freshness of some hosts in lowercase, in seconds.
    var minimumByHost: [String: Int] = [:]

    /// No limits by host.
    init() {}

    /// Returns the limits of a host; `nil` for a source without one.
    func limits(for host: String?) -> FreshnessLimits {
        var limits = standard
        if let host, let minimum = minimumByHost[host.lowercased()] { limits.minimum = minimum }
        return limits
    }
}

/// The `Cache-Control` and `Age` fields of a rendition.
struct CacheRule: Hashable, Sendable {
    let control: String
    /// The seconds since the rendition became fresh; `nil` if it never becomes stale, or was made for this request.
    let age: Int?

    /// A response that no cache stores.
    static let noStore = CacheRule(control: "no-store", age: nil)

    /// A response that caches keep for a time.
    static func seconds(_ seconds: Int) -> CacheRule {
        CacheRule(control: "public, max-age=\(seconds)", age: nil)
    }

    private init(control: String, age: Int?) {
        (self.control, self.age) = (control, age)
    }

    /// What decides the fields of a rendition.
    struct Inputs: Hashable, Sendable {
        /// What the origin says.
        var source: SourceFreshness
        /// The limits of the operator.
        var limits = FreshnessLimits()
        /// Whether the URL names a version of the source, so that another version has another URL.
        var isVersioned = false
        /// The time at which the URL expires; `nil` for never.
        var expiry: Date?
        /// The seconds since the rendition became fresh in a cache of the server; `nil` if it was made for this
        /// request.
        var age: Double?
        /// Whether a better rendition of the same URL is on its way, so that this one must not stay in a cache.
        var isProvisional = false
    }

    /// Decides the fields.
    ///
    /// A cache downstream subtracts `Age` from `max-age`, so the two are stated for the same moment: their difference
    /// is the freshness that is left (RFC 9111, 4.2).
    init(_ inputs: Inputs, now: Date) {
        let untilExpiry = inputs.expiry.map { Int(min(max(0, $0.timeIntervalSince(now)), 4e9)) }
        guard inputs.source.isStorable, !inputs.isProvisional, untilExpiry != 0 else {
            self = .noStore
            return
        }
        let scope = inputs.source.isPrivate ? "private" : "public"
        if inputs.isVersioned {
            // Without an age, because the response is as fresh as on its first day.
            let seconds = min(31_536_000, untilExpiry ?? .max)
            self.init(control: "\(scope), max-age=\(seconds), immutable", age: nil)
            return
        }
        let (source, limits) = (inputs.source, inputs.limits)
        let left = min(
            limits.clamp(source.remaining ?? Double(limits.standard) - source.age), untilExpiry ?? .max)
        let age = inputs.age.map { Int(min(max(0, $0), 2_147_483_648)) }
        var directives = [scope, "max-age=\(left + (age ?? 0))"]
        if source.mustRevalidate {
            directives.append("must-revalidate")
        } else {
            let room = untilExpiry.map { $0 - left } ?? .max
            directives += Self.stale(
                "stale-while-revalidate", source.staleWhileRevalidate, limits.staleWhileRevalidate, room)
            directives += Self.stale("stale-if-error", source.staleIfError, limits.staleIfError, room)
        }
        self.init(control: directives.joined(separator: ", "), age: age)
    }

    /// Returns a directive that allows staleness, if there is any.
    ///
    /// - Parameter room: The seconds between the end of the freshness and the expiry of the URL.
    private static func stale(_ name: String, _ stated: Double?, _ standard: Int, _ room: Int) -> [String] {
        let seconds = min(stated.map { Int(min($0, 2_147_483_648)) } ?? standard, room)
        return seconds > 0 ? ["\(name)=\(seconds)"] : []
    }
}
