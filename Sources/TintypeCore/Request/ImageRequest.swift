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
///
/// One word to copy, however much it says: it is handed on at every stage of its way. Each change makes a new one inside.
public struct ImageRequest: Sendable {
    private struct Fields: Sendable {
        var source: ImageSource
        var identity: String?
        var rendition: Rendition
        var policy: LoadPolicy
        var priority: ImagePriority
        var alternatives: [ImageSource]
        var overrides: RequestOverrides?
        var extras: RequestExtras
        var substitutes: [ImageRequest] = []
    }

    private final class Storage: Sendable {
        let fields: Fields
        let key: CacheKey

        /// - Parameter key: the key, where it is known to be the same as before.
        init(_ fields: Fields, key: CacheKey? = nil) {
            self.fields = fields
            self.key =
                key
                ?? CacheKey(
                    source: fields.identity ?? fields.source.identity, rendition: fields.rendition.identifier)
        }
    }

    private var storage: Storage

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

    public init(
        url: URL, rendition: Rendition = Rendition(), policy: LoadPolicy = LoadPolicy(),
        priority: ImagePriority = .normal
    ) {
        self.init(source: .url(url), rendition: rendition, policy: policy, priority: priority)
    }

    /// The identity of the wanted picture. Kept ready, so that a look-up in memory builds no string.
    public var key: CacheKey { storage.key }

    /// A change of what is in the key.
    private mutating func replace(_ change: (inout Fields) -> Void) {
        var fields = storage.fields
        change(&fields)
        storage = Storage(fields)
    }

    /// A change of what is not.
    private mutating func adjust(_ change: (inout Fields) -> Void) {
        var fields = storage.fields
        change(&fields)
        storage = Storage(fields, key: storage.key)
    }
}

// MARK: - What it says

extension ImageRequest {
    /// Where the bytes are. Another source than before drops ``identity``, which named the bytes of that one.
    public var source: ImageSource {
        get { storage.fields.source }
        set {
            replace { fields in
                if newValue.identity != fields.source.identity { fields.identity = nil }
                fields.source = newValue
            }
        }
    }

    /// What names the bytes in keys, instead of the source's own identity: see ``CacheKeyFilter``. An interceptor that
    /// leads to the same bytes by another URL sets it after the source.
    public var identity: String? {
        get { storage.fields.identity }
        set { replace { $0.identity = newValue } }
    }

    /// Which pixels are made of the bytes.
    public var rendition: Rendition {
        get { storage.fields.rendition }
        set { replace { $0.rendition = newValue } }
    }

    /// How the picture may be got.
    public var policy: LoadPolicy {
        get { storage.fields.policy }
        set { adjust { $0.policy = newValue } }
    }

    /// How soon it is wanted; an ``ImageTask`` may change it later.
    public var priority: ImagePriority {
        get { storage.fields.priority }
        set { adjust { $0.priority = newValue } }
    }

    /// Other sources of the same picture, tried in order when the first cannot be loaded. What comes of one is kept
    /// under its own key.
    public var alternatives: [ImageSource] {
        get { storage.fields.alternatives }
        set {
            adjust { fields in
                fields.alternatives = newValue
                fields.substitutes = []
            }
        }
    }

    /// A request for each alternative, as interceptors left it.
    var substitutes: [ImageRequest] {
        get { storage.fields.substitutes }
        set { adjust { $0.substitutes = newValue } }
    }

    /// Parts of the pipeline that are replaced for this request.
    public var overrides: RequestOverrides? {
        get { storage.fields.overrides }
        set { adjust { $0.overrides = newValue } }
    }

    /// Settings that extensions add: those of HTTP, for one.
    public var extras: RequestExtras {
        get { storage.fields.extras }
        set { adjust { $0.extras = newValue } }
    }
}

/// How soon a load is wanted, compared with others.
///
/// Work that several wait for has the highest priority among them.
public enum ImagePriority: Int8, Comparable, CaseIterable, Hashable, Sendable {
    case veryLow
    case low
    case normal
    case high
    case veryHigh

    public static func < (left: ImagePriority, right: ImagePriority) -> Bool {
        left.rawValue < right.rawValue
    }
}
