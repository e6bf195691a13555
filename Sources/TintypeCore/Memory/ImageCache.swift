/// A cache of two tiers, each of which may be missing or replaced.
public struct ImageCache: ImageCaching {
    public let memory: MemoryCache?
    public let disk: (any DataCache)?

    public init(memory: MemoryCache? = MemoryCache(), disk: (any DataCache)? = nil) {
        self.memory = memory
        self.disk = disk
    }

    public var tiers: CacheTiers {
        var tiers: CacheTiers = []
        if memory != nil { tiers.insert(.memory) }
        if disk != nil { tiers.insert(.disk) }
        return tiers
    }

    public func image(for key: CacheKey) -> Image? { memory?.image(for: key) }

    @discardableResult
    public func store(_ image: Image, for key: CacheKey) -> Int { memory?.store(image, for: key) ?? 0 }

    public func entry(for key: CacheKey) -> CacheEntry? { disk?.entry(for: key) }

    public func store(_ entry: CacheEntry, for key: CacheKey) { disk?.store(entry, for: key) }

    public func remove(_ key: CacheKey, from tiers: CacheTiers) {
        if tiers.contains(.memory) { memory?.remove(key) }
        if tiers.contains(.disk) { disk?.remove(key) }
    }

    public func tiers(with key: CacheKey, among tiers: CacheTiers) -> CacheTiers {
        var found: CacheTiers = []
        if tiers.contains(.memory), memory?.contains(key) ?? false { found.insert(.memory) }
        if tiers.contains(.disk), disk?.contains(key) ?? false { found.insert(.disk) }
        return found
    }

    public func clear(_ tiers: CacheTiers) async throws(TintypeError) {
        if tiers.contains(.memory) { memory?.clear() }
        if tiers.contains(.disk) { try await disk?.removeAll() }
    }

    public func flush() async throws(TintypeError) { try await disk?.flush() }
}
