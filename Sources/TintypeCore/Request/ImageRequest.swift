public import Foundation

/// A picture that is wanted: which bytes, which pixels of them, how they may be got, and how soon.
///
/// ```swift
/// var request = ImageRequest(url: url)
/// request.rendition.decode.size = .fit(PixelSize(width: 200, height: 200))
/// request.priority = .high
/// ```
///
/// or, in one expression, `ImageRequest(url: url).fitting(width: 200, height: 200).priority(.high)`.
public struct ImageRequest: Sendable {
    public var source: ImageSource { didSet { key = Self.key(source, rendition) } }
    public var rendition: Rendition { didSet { key = Self.key(source, rendition) } }
    public var policy: LoadPolicy
    public var priority: ImagePriority
    /// Other sources of the same picture, tried in order when the first cannot be loaded. What comes of one is kept
    /// under its own key.
    public var alternatives: [ImageSource]
    /// Parts of the pipeline that are replaced for this request.
    public var parts: RequestParts?
    /// Settings that extensions add: those of HTTP, for one.
    public var extras: RequestExtras

    /// The identity of the wanted picture. Kept ready, so that a look-up in memory builds no string.
    public private(set) var key: CacheKey

    public init(
        source: ImageSource, rendition: Rendition = Rendition(), policy: LoadPolicy = LoadPolicy(),
        priority: ImagePriority = .normal, alternatives: [ImageSource] = [], parts: RequestParts? = nil,
        extras: RequestExtras = RequestExtras()
    ) {
        self.source = source
        self.rendition = rendition
        self.policy = policy
        self.priority = priority
        self.alternatives = alternatives
        self.parts = parts
        self.extras = extras
        key = Self.key(source, rendition)
    }

    public init(
        url: URL, rendition: Rendition = Rendition(), policy: LoadPolicy = LoadPolicy(),
        priority: ImagePriority = .normal
    ) {
        self.init(source: .url(url), rendition: rendition, policy: policy, priority: priority)
    }

    private static func key(_ source: ImageSource, _ rendition: Rendition) -> CacheKey {
        CacheKey(source: source.identity, rendition: rendition.identifier)
    }
}
