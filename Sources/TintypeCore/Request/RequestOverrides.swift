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
