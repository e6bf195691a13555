/// How a picture may be got. Nothing here changes pixels, so none of it is in the key.
public struct LoadPolicy: Hashable, Sendable {
    /// Where the finished rendition is looked up and kept.
    public var rendered: CacheRules
    /// Where the original is looked up and kept: decoded in memory, as its bytes on disk.
    public var original: CacheRules
    /// By default what a cache holds is taken.
    public var freshness: Freshness
    /// By default a source that failed is left alone for a while.
    public var failures: Failures
    /// By default none.
    public var previews: Previews
    /// By default a picture of exactly the wanted size is looked for.
    public var variants: Variants
    /// What is done to the pixels before they are delivered.
    public var preparation: Preparation
    /// The form of the rendition on disk.
    public var stored: StoredForm
    /// By default a load has ended when there is a picture.
    public var completion: Completion
    /// Whether ``ImageResponse/data`` is filled.
    public var data: DataDelivery
    /// How long what this load keeps may be used, in memory and on disk; `nil` leaves that to the limits of the caches,
    /// which hold in any case.
    public var timeToLive: Duration?

    public init(
        rendered: CacheRules = CacheRules(), original: CacheRules = CacheRules(memory: .off),
        freshness: Freshness = .cached, failures: Failures = .respected, previews: Previews = .none,
        variants: Variants = .exact, preparation: Preparation = .automatic, stored: StoredForm = .automatic,
        completion: Completion = .whenReady, data: DataDelivery = .whenLoaded, timeToLive: Duration? = nil
    ) {
        self.rendered = rendered
        self.original = original
        self.freshness = freshness
        self.failures = failures
        self.previews = previews
        self.variants = variants
        self.preparation = preparation
        self.stored = stored
        self.completion = completion
        self.data = data
        self.timeToLive = timeToLive
    }
}

extension LoadPolicy {
    /// Whether what a cache holds is good enough.
    public enum Freshness: Hashable, Sendable, CaseIterable {
        /// A cached picture is used until the cache drops it.
        case cached
        /// A cached picture comes first, as a preview; then its origin is asked whether it is still good. One that cannot
        /// be asked leaves the cached picture as the result: see ``ImageResponse/refreshFailure``.
        case revalidate
        /// The origin's own rules decide whether a cached picture is good, has to be asked for, or may be kept at all:
        /// for HTTP those of RFC 9111.
        case http
        /// Caches are not asked, only filled.
        case reload
        /// Nothing is loaded; what no cache has is ``TintypeError/Code/notCached``.
        case cacheOnly
    }

    /// Whether a source that failed is tried again at once; see ``FailedSources``.
    public enum Failures: Hashable, Sendable {
        /// Not while its failure is remembered, unless a cache has the picture.
        case respected
        /// Always; a success lets the failure be forgotten.
        case ignored
    }

    /// Whether partial pictures are delivered while the bytes arrive.
    public enum Previews: Hashable, Sendable {
        case none
        /// Whenever a preview shows more than the last one, at most once in this time.
        case progressive(every: Duration)

        /// Four a second.
        public static let progressive = Previews.progressive(every: .milliseconds(250))
    }

    /// Whether a picture in memory that is larger than the wanted one may be scaled down instead of loading.
    public enum Variants: Hashable, Sendable {
        /// Only the wanted rendition itself.
        case exact
        /// A larger one of the same source, too. What is made of it is delivered, not kept: its pixels may differ a
        /// little from those of the rendition that the key names.
        case larger
    }

    /// What is done to pixels so that showing them waits for nothing. They are decoded off the caller's thread in any case.
    public enum Preparation: Hashable, Sendable {
        /// Nothing: a picture that was decoded just now is in memory, as a rule.
        case automatic
        /// Every page is touched before the picture is delivered, so that none has to come from a mapped file or from
        /// swap when it is shown. A picture that memory answers at once is not touched.
        case always
    }

    /// How a rendition is kept on disk. The original is always kept as the bytes it came as.
    public enum StoredForm: Hashable, Sendable {
        /// JPEG for what is opaque, PNG for what is not, with the pipeline's ``PipelineConfiguration/encodeOptions``.
        case automatic
        case encoded(ImageFormat, EncodeOptions = EncodeOptions())
        /// Not encoded: as pixels ready to show, in the cache's tier for those, so that a hit on disk decodes nothing.
        /// For thumbnails: what that tier does not take, since it is large, is kept as by ``automatic``.
        case pixels
    }

    /// When a load has ended.
    public enum Completion: Hashable, Sendable {
        /// When the picture is there; the disk gets it behind the caller.
        case whenReady
        /// When the disk has it, too. That it could not be written does not fail the load.
        case whenStored
    }

    /// Whether the original bytes come with the picture.
    public enum DataDelivery: Hashable, Sendable {
        /// When they passed by on the way, anyhow.
        case whenLoaded
        /// Wherever they are: a picture from memory or a stored rendition waits for them to be read from disk, and comes
        /// without them when the disk does not have them.
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
        LoadPolicy(original: original, freshness: freshness, failures: failures, timeToLive: timeToLive)
    }
}

extension LoadPolicy.Freshness {
    /// Whether a cached picture ends a load, without a look at anything else.
    var takesWhatIsCached: Bool { self == .cached || self == .cacheOnly }

    /// Whether the origin may have to be asked about what a cache has.
    var asksOrigin: Bool { self == .revalidate || self == .http }
}

/// What one tier of the cache may be used for.
public enum CacheAccess: Hashable, Sendable {
    case readWrite
    case readOnly
    case writeOnly
    case off

    public var canRead: Bool { self == .readWrite || self == .readOnly }
    public var canWrite: Bool { self == .readWrite || self == .writeOnly }

    /// The same without writing.
    var reading: CacheAccess { canRead ? .readOnly : .off }
}

/// What each tier of the cache may be used for.
public struct CacheRules: Hashable, Sendable {
    /// For decoded pictures.
    public var memory: CacheAccess
    /// For encoded bytes.
    public var disk: CacheAccess

    var keepsAnything: Bool { memory.canWrite || disk.canWrite }

    /// The same without writing.
    var readOnly: CacheRules { CacheRules(memory: memory.reading, disk: disk.reading) }

    public init(memory: CacheAccess = .readWrite, disk: CacheAccess = .readWrite) {
        self.memory = memory
        self.disk = disk
    }
}
