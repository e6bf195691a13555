public import Foundation

/// A request for an image: its source, its rendition, the policy for getting it, and its priority.
///
/// ```swift
/// var request = ImageRequest(url: url)
/// request.rendition.decode.size = .fit(PixelSize(width: 200, height: 200))
/// request.priority = .high
/// ```
///
/// The same as one expression: `ImageRequest(url: url).fitting(width: 200, height: 200).priority(.high)`.
///
/// The fields are in an immutable object, because every stage of a load passes the request on: a copy is one retain.
/// Each change allocates a new object.
public struct ImageRequest: Sendable {
    fileprivate struct Fields: Sendable {
        var source: ImageSource
        var identity: String?
        var rendition: Rendition
        var policy: LoadPolicy
        var priority: ImagePriority
        var alternatives: [ImageSource]
        var overrides: RequestOverrides?
        var extras: RequestExtras
        var lowResolution: LowResolution?
        var lowData: ImageSource?
        /// `nil` until the pipeline has made them.
        var others: OtherRequests?
        var placeholderKey: CacheKey?
        var resultModifier: (@Sendable (Image) -> Image)?
    }

    private final class Storage: Sendable {
        // First, beside the object's header: a lookup in memory then reads little else of the request.
        let key: CacheKey
        let facts: LookupFacts
        let fields: Fields

        init(_ fields: Fields) {
            self.fields = fields
            key = CacheKey(
                source: fields.identity ?? fields.source.identity, rendition: fields.rendition.identifier)
            facts = LookupFacts(fields, isForFile: fields.identity == nil && fields.source.isFile(identity: key.source))
        }

        /// - Parameter other: A request with an equal key.
        init(_ fields: Fields, keyOf other: Storage) {
            self.fields = fields
            key = other.key
            facts = LookupFacts(fields, isForFile: other.facts.isForFile)
        }
    }

    /// The properties of a request that every lookup in memory needs, computed once.
    struct LookupFacts: Sendable {
        /// Whether the source is a local file without an ``identity``.
        let isForFile: Bool
        /// Whether the request has additional sources besides ``source``.
        let hasOtherSources: Bool
        /// Whether the policy lets memory answer.
        let readsMemory: Bool
        /// Whether the request has components or settings of its own.
        let isCustomized: Bool
        /// Whether an image is delivered as it is in memory.
        let deliversUnchanged: Bool

        fileprivate init(_ fields: Fields, isForFile: Bool) {
            self.isForFile = isForFile
            hasOtherSources = !fields.alternatives.isEmpty || fields.lowResolution != nil || fields.lowData != nil
            readsMemory = fields.policy.reads(fields.policy.caching.rendition.memory)
            isCustomized = fields.overrides != nil || !fields.extras.isEmpty
            deliversUnchanged = fields.rendition.decode.scale == nil && fields.resultModifier == nil
        }
    }

    private var storage: Storage

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - source: Where the bytes come from.
    ///   - rendition: The pixels to make of them; by default the original image.
    ///   - policy: How to get the image.
    ///   - priority: How soon the image is needed, compared with others.
    ///   - alternatives: Other sources of the same image, in the order in which they are tried.
    ///   - overrides: Components that replace those of the pipeline.
    ///   - extras: Settings of extensions.
    public init(
        source: ImageSource, rendition: Rendition = Rendition(), policy: LoadPolicy = LoadPolicy(),
        priority: ImagePriority = .normal, alternatives: [ImageSource] = [], overrides: RequestOverrides? = nil,
        extras: RequestExtras = RequestExtras()
    ) {
        storage = Storage(
            Fields(
                source: source, rendition: rendition, policy: policy, priority: priority, alternatives: alternatives,
                overrides: overrides, extras: extras))
    }

    /// Creates a request for the image at a URL.
    public init(
        url: URL, rendition: Rendition = Rendition(), policy: LoadPolicy = LoadPolicy(),
        priority: ImagePriority = .normal
    ) {
        self.init(source: .url(url), rendition: rendition, policy: policy, priority: priority)
    }

    /// The identity of the image in caches. It is computed once, so that a memory lookup builds no string.
    public var key: CacheKey { storage.key }

    /// The properties that every lookup in memory needs.
    var facts: LookupFacts { storage.facts }

    /// Changes fields that are part of the key, and discards the requests that were derived from them.
    private mutating func changeKeyed(_ change: (inout Fields) -> Void) {
        var fields = storage.fields
        change(&fields)
        fields.others = nil
        storage = Storage(fields)
    }

    /// Changes the other sources, and discards the requests that were derived from them. Keeps the key.
    private mutating func changeOtherSources(_ change: (inout Fields) -> Void) {
        changeUnkeyed { fields in
            change(&fields)
            fields.others = nil
        }
    }

    /// Changes fields that are not part of the key and keeps the key.
    private mutating func changeUnkeyed(_ change: (inout Fields) -> Void) {
        var fields = storage.fields
        change(&fields)
        storage = Storage(fields, keyOf: storage)
    }
}

// MARK: - Fields

extension ImageRequest {
    /// The source of the bytes.
    ///
    /// Setting a different source resets ``identity``, which names the bytes of the previous one.
    public var source: ImageSource {
        get { storage.fields.source }
        set {
            changeKeyed { fields in
                if newValue.identity != fields.source.identity { fields.identity = nil }
                fields.source = newValue
            }
        }
    }

    /// The name of the bytes in cache keys; `nil` uses the identity of the source. See ``CacheKeyFilter``.
    ///
    /// An interceptor that loads the same bytes from another URL sets it after the source.
    public var identity: String? {
        get { storage.fields.identity }
        set { changeKeyed { $0.identity = newValue } }
    }

    /// The pixels to make of the bytes.
    public var rendition: Rendition {
        get { storage.fields.rendition }
        set { changeKeyed { $0.rendition = newValue } }
    }

    /// How to get the image.
    public var policy: LoadPolicy {
        get { storage.fields.policy }
        set { changeUnkeyed { $0.policy = newValue } }
    }

    /// The priority at the start of the load; ``ImageTask`` can change it later.
    public var priority: ImagePriority {
        get { storage.fields.priority }
        set { changeUnkeyed { $0.priority = newValue } }
    }

    /// Other sources of the same image, tried in order when the first one fails. An image from an alternative is cached
    /// under the key of that alternative.
    public var alternatives: [ImageSource] {
        get { storage.fields.alternatives }
        set { changeOtherSources { $0.alternatives = newValue } }
    }

    /// The same image with fewer pixels, which is loaded at the same time and delivered as a preview if it is ready
    /// first. `nil`, the default, loads none.
    ///
    /// It is not loaded if a cache has the image itself. The request fails if the image and all ``alternatives`` fail,
    /// even if the low-resolution image was delivered.
    public var lowResolution: LowResolution? {
        get { storage.fields.lowResolution }
        set { changeOtherSources { $0.lowResolution = newValue } }
    }

    /// A source of the same image with fewer bytes; `nil` by default.
    ///
    /// It is loaded instead of the image while the program saves data (``PipelineConfiguration/savesData``), unless a
    /// cache has the image itself.
    ///
    /// If it fails, ``alternatives`` are tried. With ``LoadPolicy/Freshness/revalidate`` and
    /// ``LoadPolicy/Freshness/http``, an image that a cache has is revalidated as if data were not saved.
    public var lowData: ImageSource? {
        get { storage.fields.lowData }
        set { changeOtherSources { $0.lowData = newValue } }
    }

    /// The requests for the other sources; `nil` if there are none, or no pipeline has made them.
    var others: OtherRequests? {
        get { storage.fields.others }
        set { changeUnkeyed { $0.others = newValue } }
    }

    /// The key of an image in memory that is delivered as the first preview, for example of a smaller rendition that a
    /// list has shown. `nil`, the default, delivers none. ``ImagePipeline/cacheKey(for:)`` returns the key of a
    /// request.
    public var placeholderKey: CacheKey? {
        get { storage.fields.placeholderKey }
        set { changeUnkeyed { $0.placeholderKey = newValue } }
    }

    /// Components that replace those of the pipeline for this request.
    public var overrides: RequestOverrides? {
        get { storage.fields.overrides }
        set { changeUnkeyed { $0.overrides = newValue } }
    }

    /// Changes the image of the final result for this request alone, for example its scale. `nil`, the default, changes
    /// nothing.
    ///
    /// It is not part of any key: caches store the unmodified image, and requests with different modifiers share all
    /// work. It is called for each result, including memory hits, on the thread that delivers the result, so it must be
    /// fast. Previews are not modified. To compute other pixels, use an ``ImageTransformer``, whose results are cached.
    public var resultModifier: (@Sendable (Image) -> Image)? {
        get { storage.fields.resultModifier }
        set { changeUnkeyed { $0.resultModifier = newValue } }
    }

    /// Settings of extensions, such as those of HTTP.
    public var extras: RequestExtras {
        get { storage.fields.extras }
        set { changeUnkeyed { $0.extras = newValue } }
    }
}

extension ImageRequest {
    /// Returns an image as this request delivers it: at its scale, and modified.
    // The parameter is owned, so that an image that is delivered as it is costs no reference count.
    func finishing(_ image: consuming Image) -> Image {
        if facts.deliversUnchanged { return image }
        if let scale = rendition.decode.scale { image = image.atScale(scale) }
        if let resultModifier { image = resultModifier(image) }
        return image
    }
}
