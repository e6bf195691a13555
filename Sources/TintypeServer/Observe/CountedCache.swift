import TintypeCore

/// A tier of the cache of renditions whose hits and misses are counted under its name.
final class CountedCache: RemoteDataCaching {
    let cache: any DataCaching
    private let tier: String
    private let metrics: ServerMetrics?

    /// - Parameters:
    ///   - tier: The value of the label `tier`.
    ///   - metrics: `nil` counts nothing.
    init(_ cache: any DataCaching, tier: String, metrics: ServerMetrics?) {
        (self.cache, self.tier, self.metrics) = (cache, tier, metrics)
    }

    func entry(for key: CacheKey) -> CacheEntry? { count(cache.entry(for: key)) }

    var hasRemoteEntries: Bool { cache.remote != nil }

    func localEntry(for key: CacheKey) -> CacheEntry? {
        let entry = cache.entryOnThisMachine(for: key)
        // A tier with remote entries is asked again, and counts its miss then.
        return entry == nil && hasRemoteEntries ? nil : count(entry)
    }

    func remoteEntry(for key: CacheKey) async -> CacheEntry? { count(await cache.remote?.remoteEntry(for: key)) }

    func contains(_ key: CacheKey) -> Bool { cache.contains(key) }

    func store(_ entry: CacheEntry, for key: CacheKey) { cache.store(entry, for: key) }

    func remove(_ key: CacheKey) { cache.remove(key) }

    func removeAll() async throws(TintypeError) { try await cache.removeAll() }

    func flush() async throws(TintypeError) { try await cache.flush() }

    private func count(_ entry: CacheEntry?) -> CacheEntry? {
        metrics?.lookedUp(tier: tier, isHit: entry != nil)
        return entry
    }
}
