/// How a picture may be got. Nothing here changes pixels, so none of it is in the key.
public struct LoadPolicy: Hashable, Sendable {
    /// Where the finished rendition is looked up and kept.
    public var rendered: CacheRules
    /// Where the original bytes are looked up and kept. Memory holds only decoded pictures.
    public var original: CacheAccess
    public var freshness: Freshness
    public var previews: Previews
    public var data: DataDelivery

    public init(
        rendered: CacheRules = CacheRules(), original: CacheAccess = .readWrite, freshness: Freshness = .cached,
        previews: Previews = .none, data: DataDelivery = .whenLoaded
    ) {
        self.rendered = rendered
        self.original = original
        self.freshness = freshness
        self.previews = previews
        self.data = data
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
        LoadPolicy(original: original, freshness: freshness)
    }
}
