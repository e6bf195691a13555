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
        isStorable && staleness(at: now, limits) < 0
    }

    /// When a stale source is used (RFC 5861).
    enum StaleUse: Hashable, Sendable {
        /// While the origin is asked again.
        case duringRevalidation
        /// When the origin has failed.
        case afterError
    }

    /// Returns whether the source may be used though it is stale, if it is.
    ///
    /// - Parameter limits: What the operator allows, unless the origin says otherwise.
    func isUsable(_ use: StaleUse, at now: Date, _ limits: FreshnessLimits) -> Bool {
        guard isStorable, !freshness.mustRevalidate else { return false }
        switch use {
        case .duringRevalidation:
            // An origin that grants no time at all wants to be asked each time, unless it says otherwise.
            let standard = lifetime(at: now, limits) > 0 ? limits.staleWhileRevalidate : 0
            return staleness(at: now, limits) < freshness.staleWhileRevalidate ?? Double(standard)
        case .afterError:
            return staleness(at: now, limits) < freshness.staleIfError ?? Double(limits.staleIfError)
        }
    }

    /// The seconds since the source became stale; negative if it is fresh.
    private func staleness(at now: Date, _ limits: FreshnessLimits) -> Double {
        freshness(at: now).age - Double(lifetime(at: now, limits))
    }

    /// The seconds for which the source is fresh after its origin confirmed it.
    private func lifetime(at now: Date, _ limits: FreshnessLimits) -> Int {
        let freshness = freshness(at: now)
        return limits.clamp((freshness.remaining ?? Double(limits.standard) - freshness.age) + freshness.age)
    }
}

extension SourceRecord {
    /// Refuses a source that is beyond the limits of the URL. Those of the configuration hold as well: they are applied
    /// while the source is loaded and decoded.
    ///
    /// - Parameter frames: The largest number of frames that are kept, unless the URL has another one.
    func check(_ limits: LimitOptions, frames: Int) throws(Failure) {
        if let bytes = limits.sourceBytes, bytes > 0, byteCount > bytes {
            throw Self.failure("the source has \(byteCount) bytes, more than the URL allows")
        }
        let frames = min(info.frameCount, limits.frames ?? frames)
        let (area, isOverflowing) = info.size.area.multipliedReportingOverflow(by: max(1, frames))
        if frames > 1, let pixels = limits.framePixels, pixels > 0 {
            guard info.size.area <= pixels else { throw Self.failure("a frame has more pixels than the URL allows") }
        } else if let pixels = limits.sourcePixels, isOverflowing || area > pixels {
            throw Self.failure("the source has more pixels than the URL allows")
        }
    }

    private static func failure(_ detail: String) -> Failure {
        Failure(.unprocessable, code: TintypeError.Code.limitExceeded.rawValue, detail: detail)
    }
}
