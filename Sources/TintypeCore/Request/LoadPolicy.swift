/// How to get an image: freshness, caches and delivery. No setting changes pixels or is part of the cache key.
public struct LoadPolicy: Hashable, Sendable {
    /// Whether a cached image is used as it is, revalidated or ignored. By default it is used as it is.
    public var freshness: Freshness
    /// Which caches are read and written, in which form and for how long.
    public var caching: Caching
    /// What is delivered besides the image, and when.
    public var delivery: Delivery
    /// Whether a source that failed recently is tried again. By default it is not.
    public var failureMemory: FailureMemoryUse
    /// How much of an image must decode before its bytes are stored and it is delivered. By default its first frame.
    public var verification = Verification.firstFrame
    /// How the pixels are prepared before delivery.
    public var preparation = Preparation.automatic

    /// Creates a policy; by default cached images are used without revalidation.
    public init(
        freshness: Freshness = .cached, caching: Caching = Caching(), delivery: Delivery = Delivery(),
        failureMemory: FailureMemoryUse = .respected
    ) {
        self.freshness = freshness
        self.caching = caching
        self.delivery = delivery
        self.failureMemory = failureMemory
    }

    /// Which caches are read and written, in which form and for how long.
    public struct Caching: Hashable, Sendable {
        /// The cache access for the rendition.
        public var rendition: CacheRules
        /// The cache access for the original: decoded in memory, encoded on disk. By default it is not stored in
        /// memory.
        public var original: CacheRules
        /// The form in which the rendition is stored on disk.
        public var form = StoredForm.automatic
        /// Whether a larger image in memory may be scaled down. By default it may not.
        public var match = Match.exact
        /// Whether smaller and transformed images of local files are stored on disk. By default they are not.
        public var localFiles = LocalFileStorage.memory
        /// How long the image may be served from memory and disk, in addition to the limits of the caches. `nil` sets
        /// no limit.
        public var timeToLive: Duration?
        /// How long the image may be served from memory, if that is less than ``timeToLive``: afterwards it comes from
        /// disk, where it may live longer. `nil` sets no limit of its own.
        public var memoryTimeToLive: Duration?

        /// Creates settings; by default all caches are used, except memory for originals.
        public init(rendition: CacheRules = CacheRules(), original: CacheRules = CacheRules(memory: .off)) {
            self.rendition = rendition
            self.original = original
        }
    }

    /// What is delivered besides the image, and when.
    public struct Delivery: Hashable, Sendable {
        /// Whether partial images are delivered while the bytes arrive. By default they are not.
        public var previews: Previews
        /// Whether previews are kept in memory for the next request. By default they are not. Requests that differ only
        /// in this share their work.
        public var previewStorage = PreviewStorage.none
        /// Whether the header is delivered while the bytes arrive. By default it is not. Requests that differ only in
        /// this share their work.
        public var header = HeaderDelivery.withImage
        /// Whether the response contains the original bytes in ``ImageResponse/data``.
        public var data = DataDelivery.whenLoaded
        /// The event that completes a load. By default a load completes when the image is available, before it is
        /// stored on disk.
        public var completion = Completion.whenReady

        /// Creates settings; by default only the image is delivered, as soon as it is available.
        public init(previews: Previews = .none) { self.previews = previews }
    }
}

extension LoadPolicy {
    /// Whether a cached image satisfies a request.
    public enum Freshness: Hashable, Sendable, CaseIterable {
        /// A cached image is used until the cache drops it.
        case cached
        /// A cached image is delivered as a preview and then revalidated with its origin. If that fails, the cached
        /// image is the result: see ``ImageResponse/revalidationFailure``.
        case revalidate
        /// The rules of the origin decide whether a cached image is fresh, needs revalidation, or may be stored at all;
        /// for HTTP those of RFC 9111.
        case http
        /// Caches are written but not read.
        case reload
        /// Only caches are used. The load throws ``TintypeError/Code/notCached`` if none has the image.
        case cacheOnly
    }

    /// Whether a source that failed recently is tried again; see ``FailureMemory``.
    public enum FailureMemoryUse: Hashable, Sendable {
        /// While a failure of the source is remembered, only caches are used; the load throws
        /// ``TintypeError/Code/failedBefore`` if none has the image.
        case respected
        /// The source is always tried. A success removes the remembered failure.
        case ignored
    }

    /// Whether partial images are delivered while the bytes arrive.
    public enum Previews: Hashable, Sendable {
        /// No previews.
        case none
        /// A preview whenever it shows more than the last one, at most one in each interval.
        case progressive(every: Duration)

        /// At most four previews a second.
        public static let progressive = Previews.progressive(every: .milliseconds(250))
    }

    /// When the contents of the header are delivered.
    public enum HeaderDelivery: Hashable, Sendable {
        /// With the image: see ``Image/info``.
        case withImage
        /// As soon as enough bytes have arrived, if others are still missing: ``ImageEvent/info(_:)``. A view can then
        /// reserve space of the right shape.
        case early
    }

    /// Where renditions of local files are stored. The files themselves are never stored.
    public enum LocalFileStorage: Hashable, Sendable {
        /// In memory alone: the file is on disk anyway.
        case memory
        /// Also on disk, like those of other sources. Meant for thumbnails of large files. A file that changed has
        /// other keys (``FileIdentity/modification``). Nothing is stored with ``FileIdentity/path``, or if the request
        /// or a ``CacheKeyFilter`` names the file (``ImageRequest/identity``).
        case disk
    }

    /// Whether previews are kept for the next request.
    public enum PreviewStorage: Hashable, Sendable {
        /// Previews are only delivered.
        case none
        /// The newest preview is in memory until the image is complete, but no longer than
        /// ``LoadPolicy/Caching/timeToLive``. If the load is cancelled or fails, the next request of the same kind
        /// begins with that preview. None is kept if ``LoadPolicy/Caching/rendition`` excludes memory, or with
        /// ``Freshness/http``, because the origin may forbid it.
        case memory
    }

    /// How much of an image that is loaded must decode. Images that a cache has decoded already are not verified again.
    public enum Verification: Hashable, Sendable {
        /// Only the delivered image: the first frame of an animation, one image of an icon.
        case firstFrame
        /// Every frame of an animation, unless the options ask only for the first one, and every image of an icon. The
        /// load fails if one is damaged, unless the request accepts partial images. Decoded frames are not held. Each
        /// frame may take ``DecodeLimits/time``, and all frames after the first one together ten times as long. All
        /// images of an icon together may take that time once.
        case allFrames
    }

    /// Whether a larger image in memory may be scaled down to the requested size instead of loading.
    public enum Match: Hashable, Sendable {
        /// Only the requested rendition is used.
        case exact
        /// A larger rendition of the same source may be scaled down. The result is delivered but not stored, because
        /// its pixels may differ slightly from those that the key names.
        case larger
    }

    /// How pixels are prepared so that showing them does not wait. They are always decoded off the caller's thread.
    public enum Preparation: Hashable, Sendable {
        /// No preparation: the pages of an image that was just decoded are normally in memory.
        case automatic
        /// Every page is read before delivery, so that showing the image does not wait for a mapped file or for swap.
        /// Synchronous memory hits are not prepared.
        case always
        /// As ``always``. In addition, all frames of an animation are decoded before delivery, and held as by
        /// ``AnimatedImage/preloadFrames(isCancelled:)``. If they exceed ``FrameMemory/limit``, or one is damaged, the
        /// animation is delivered without them.
        case allFrames
    }

    /// The form in which a rendition is stored on disk. Originals are always stored as the received bytes.
    public enum StoredForm: Hashable, Sendable {
        /// JPEG if all pixels are opaque, otherwise PNG, with the pipeline's ``PipelineConfiguration/encodeOptions``.
        case automatic
        /// This format, with these options. Their limits apply as those of ``PipelineConfiguration/encodeOptions`` do.
        /// An animation is stored only if it can be encoded with all frames in this format.
        case encoded(ImageFormat, EncodeOptions = EncodeOptions())
        /// Decoded pixels in the cache's pixel tier, so that a disk hit needs no decoding. Meant for thumbnails: an
        /// image that the tier refuses, for example for its size, is stored as with ``automatic``.
        case pixels
    }

    /// The event that completes a load.
    public enum Completion: Hashable, Sendable {
        /// The image is available; it is stored on disk in the background.
        case whenReady
        /// The image is also stored on disk. A failed write does not fail the load.
        case whenStored
    }

    /// Whether the response contains the original bytes.
    public enum DataDelivery: Hashable, Sendable {
        /// Only if the load read them anyway.
        case whenLoaded
        /// Always. A memory hit or a stored rendition waits until they are read from disk; if the disk does not have
        /// them, the response has none.
        case always
    }
}

extension LoadPolicy {
    /// Whether an image in memory is all that a load needs.
    package var endsInMemory: Bool { delivery.data == .whenLoaded && freshness.takesWhatIsCached }

    /// Returns whether this load may read a tier.
    func reads(_ tier: CacheAccess) -> Bool {
        freshness != .reload && tier.canRead
    }

    /// The policy with only the settings that affect how a rendition is made. Each caller of a load asks for the
    /// header, and keeps previews, on its own.
    var forRendition: LoadPolicy {
        var policy = self
        (policy.delivery.header, policy.delivery.previewStorage) = (.withImage, .none)
        return policy
    }

    /// The policy with only the settings that affect how the original bytes are loaded. Loads that agree on it share a
    /// transfer.
    var forBytes: LoadPolicy {
        var policy = LoadPolicy(freshness: freshness, failureMemory: failureMemory)
        policy.caching.original = caching.original
        policy.caching.timeToLive = caching.timeToLive
        return policy
    }
}

extension LoadPolicy.Freshness {
    /// Whether a cached image completes a load without any further check.
    var takesWhatIsCached: Bool { self == .cached || self == .cacheOnly }

    /// Whether a cached image may need revalidation with its origin.
    var asksOrigin: Bool { self == .revalidate || self == .http }
}
