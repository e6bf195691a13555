/// A setting that a loader or another extension adds to requests.
///
/// The conforming type is the key of the setting in ``RequestExtras``.
public protocol RequestExtraKey {
    /// The type of the value of the setting.
    associatedtype Value: Hashable & Sendable

    /// The value of requests that do not set one.
    static var defaultValue: Value { get }
}

/// Settings that extensions add to requests, by the type of their key.
///
/// They must affect only how the bytes are loaded, and never which bytes or pixels result, because they are not part of
/// the cache key. Loads with different extras are not coalesced.
public struct RequestExtras: Hashable, Sendable {
    private var values: [ObjectIdentifier: ExtraValue] = [:]

    /// Creates extras in which every setting has its default value.
    public init() {}

    /// Whether every setting has its default value.
    var isEmpty: Bool { values.isEmpty }

    /// Returns whether a setting differs from its default value.
    package func contains(_ key: (some RequestExtraKey).Type) -> Bool {
        !values.isEmpty && values[ObjectIdentifier(key)] != nil
    }

    /// The value of a setting.
    public subscript<Key: RequestExtraKey>(key: Key.Type) -> Key.Value {
        get { values[ObjectIdentifier(key)]?.base as? Key.Value ?? Key.defaultValue }
        set {
            // Default values are not stored, so that setting one equals not setting it.
            values[ObjectIdentifier(key)] = newValue == Key.defaultValue ? nil : ExtraValue(base: newValue)
        }
    }
}

/// A type-erased value that, unlike `AnyHashable`, is still `Sendable`.
private struct ExtraValue: Hashable, Sendable {
    let base: any (Hashable & Sendable)

    static func == (left: ExtraValue, right: ExtraValue) -> Bool {
        AnyHashable(left.base) == AnyHashable(right.base)
    }

    func hash(into hasher: inout Hasher) {
        base.hash(into: &hasher)
    }
}

/// Components that replace those of the pipeline for some requests, or are added to them.
///
/// Requests are coalesced only if they share the same object, so create one and pass it to all requests that need it.
public final class RequestOverrides: Sendable {
    /// The cache to use instead of the pipeline's.
    package let cache: (any ImageCaching)?
    /// The cache for original bytes, if it differs from the cache for renditions.
    package let originalCache: (any ImageCaching)?
    /// The loader to use instead of the pipeline's.
    package let loader: (any ImageLoader)?
    /// The serializer to use instead of the pipeline's.
    package let serializer: CacheSerializer?
    /// The encoder to use for the disk cache, for the formats that it supports, instead of the pipeline's.
    /// ``LoadPolicy/Caching/form`` selects the format.
    package let encoder: (any ImageEncoder)?
    /// The observers of these requests, in addition to those of the pipeline. A transfer that other requests share
    /// reports to them only if one of these requests has started it.
    package let observers: [any PipelineObserver]

    /// Creates overrides; `nil` leaves a component to the pipeline.
    public init(
        cache: (any ImageCaching)? = nil, originalCache: (any ImageCaching)? = nil, loader: (any ImageLoader)? = nil,
        serializer: CacheSerializer? = nil, encoder: (any ImageEncoder)? = nil,
        observers: [any PipelineObserver] = []
    ) {
        self.cache = cache
        self.originalCache = originalCache
        self.loader = loader
        self.serializer = serializer
        self.encoder = encoder
        self.observers = observers
    }
}

extension RequestOverrides {
    /// An object in a key: equal only to itself.
    package struct Identity: Hashable, Sendable {
        private let overrides: RequestOverrides

        package init(_ overrides: RequestOverrides) { self.overrides = overrides }

        package static func == (left: Identity, right: Identity) -> Bool { left.overrides === right.overrides }
        package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(overrides)) }
    }

    var identity: Identity { Identity(self) }
}
