import Foundation
import TintypeCore

/// What the server remembers of a source, so that a rendition is found without reading the source again.
struct SourceRecord: Hashable, Sendable {
    /// The SHA-256 digest of the bytes, in hexadecimal: the same bytes under two URLs share their renditions.
    let digest: String
    /// The header of the image.
    let info: ImageInfo
    /// The number of bytes.
    let byteCount: Int
    /// When the source was last modified, if the origin says so.
    let lastModified: Date?
    /// What the origin says about caching, as of ``confirmed``.
    let freshness: SourceFreshness
    /// When the origin sent the source, or confirmed it, or this server read that from a cache.
    let confirmed: Date

    /// Returns the freshness at a later time.
    func freshness(at now: Date) -> SourceFreshness {
        let passed = max(0, now.timeIntervalSince(confirmed))
        var later = freshness
        later.remaining = freshness.remaining.map { $0 - passed }
        later.age = freshness.age + passed
        return later
    }

    /// Whether the server, which is a cache for many users, may store what is made of the source (RFC 9111, 3).
    var isStorable: Bool { freshness.isStorable && !freshness.isPrivate }

    /// Returns whether the source may be used without asking the origin again.
    ///
    /// - Parameter limits: What the operator allows. A source that states nothing has their standard freshness.
    func isFresh(at now: Date, _ limits: FreshnessLimits) -> Bool {
        let freshness = freshness(at: now)
        guard isStorable else { return false }
        let lifetime = (freshness.remaining ?? Double(limits.standard) - freshness.age) + freshness.age
        return Double(limits.clamp(lifetime)) > freshness.age
    }
}
