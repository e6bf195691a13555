/// How a picture may be got. Nothing here changes pixels, so none of it is in the key.
public struct LoadPolicy: Hashable, Sendable {
    /// Where the finished rendition is looked up and kept.
    public var rendered: CacheRules
    /// Where the original bytes are looked up and kept. Memory holds only decoded pictures.
    public var original: CacheAccess
    public var freshness: Freshness
    public var previews: Previews
    public var data: DataDelivery
    public var failures: Failures

    public init(
        rendered: CacheRules = CacheRules(), original: CacheAccess = .readWrite, freshness: Freshness = .cached,
        previews: Previews = .none, data: DataDelivery = .whenLoaded, failures: Failures = .respected
    ) {
        self.rendered = rendered
        self.original = original
        self.freshness = freshness
        self.previews = previews
        self.data = data
        self.failures = failures
    }
}

extension LoadPolicy {
    /// Whether what a cache holds is good enough.
    public enum Freshness: Hashable, Sendable {
        /// A cached picture is used until the cache drops it.
        case cached
        /// Caches are not asked, only filled.
        case reload
        /// Nothing is loaded; what no cache has is ``TintypeError/Code/notCached``.
        case cacheOnly
    }

    /// Whether partial pictures are delivered while the bytes arrive.
    public enum Previews: Hashable, Sendable {
        case none
        /// Whenever a preview shows more than the last one, at most once in this time.
        case progressive(every: Duration)

        /// Four a second.
        public static let progressive = Previews.progressive(every: .milliseconds(250))
    }

    /// Whether a source that failed is tried again at once; see ``FailedSources``.
    public enum Failures: Hashable, Sendable {
        /// Not while its failure is remembered, unless a cache has the picture.
        case respected
        /// Always; a success lets the failure be forgotten.
        case ignored
    }

    /// Whether the original bytes come with the picture.
    public enum DataDelivery: Hashable, Sendable {
        /// When they passed by on the way, anyhow.
        case whenLoaded
        /// Always: a picture from memory or a stored rendition waits for them to be read.
        case always
    }
}

extension LoadPolicy {
    /// Whether `tier` may answer for this load.
    func reads(_ tier: CacheAccess) -> Bool {
        freshness != .reload && tier.canRead
    }

    /// The part that tells how the original bytes are got: loads that agree on it share one transfer.
    var forBytes: LoadPolicy {
        LoadPolicy(original: original, freshness: freshness, failures: failures)
    }
}
