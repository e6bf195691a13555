/// The key of a setting that a loader or another extension of its own adds to requests.
public protocol RequestExtraKey {
    associatedtype Value: Hashable & Sendable

    /// What a request that says nothing means.
    static var defaultValue: Value { get }
}

/// Settings of requests that extensions add, by type: how bytes are got, never which bytes or pixels.
///
/// Not in the cache key; but loads that differ in them do not share their work.
public struct RequestExtras: Hashable, Sendable {
    private var values: [ObjectIdentifier: ExtraValue] = [:]

    public init() {}

    /// Whether none says anything special.
    var isEmpty: Bool { values.isEmpty }

    /// Whether something special is said of this.
    package func contains(_ key: (some RequestExtraKey).Type) -> Bool {
        !values.isEmpty && values[ObjectIdentifier(key)] != nil
    }

    public subscript<Key: RequestExtraKey>(key: Key.Type) -> Key.Value {
        get { values[ObjectIdentifier(key)]?.base as? Key.Value ?? Key.defaultValue }
        set {
            // One that says nothing special is equal to one that says nothing.
            values[ObjectIdentifier(key)] = newValue == Key.defaultValue ? nil : ExtraValue(base: newValue)
        }
    }
}

/// Any value that can be compared and hashed, without losing that it is sendable.
private struct ExtraValue: Hashable, Sendable {
    let base: any (Hashable & Sendable)

    static func == (left: ExtraValue, right: ExtraValue) -> Bool {
        AnyHashable(left.base) == AnyHashable(right.base)
    }

    func hash(into hasher: inout Hasher) {
        base.hash(into: &hasher)
    }
}

/// Parts of a pipeline that are replaced for some requests.
///
/// Make one and give it to every request that means it: requests share work when they have the same object.
public final class RequestOverrides: Sendable {
    /// Instead of the pipeline's cache.
    public let cache: (any ImageCaching)?
    /// Where the original bytes are looked up and kept, when not in the same cache as renditions.
    public let originalCache: (any ImageCaching)?
    /// Instead of the pipeline's loaders.
    public let loader: (any ImageLoader)?
    /// Instead of the pipeline's serializer.
    public let serializer: CacheSerializer?

    public init(
        cache: (any ImageCaching)? = nil, originalCache: (any ImageCaching)? = nil, loader: (any ImageLoader)? = nil,
        serializer: CacheSerializer? = nil
    ) {
        self.cache = cache
        self.originalCache = originalCache
        self.loader = loader
        self.serializer = serializer
    }
}

extension RequestOverrides: Hashable {
    public static func == (left: RequestOverrides, right: RequestOverrides) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
