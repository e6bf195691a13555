import Foundation
import TintypeCore
import TintypeTesting

/// A cache that counts its lookups, and removes images when they are returned, as if memory became scarce at that
/// moment.
struct CountingCache: ImageCaching {
    private let inner: ImageCache
    private let lookups = Shared<[CacheKey: Int]>([:])
    private let removesOnHit: Bool

    init(disk: FakeDataCache? = nil, removesOnHit: Bool = false) {
        inner = ImageCache(memory: MemoryCache(limits: CacheLimits(cost: 1 << 20)), disk: disk)
        self.removesOnHit = removesOnHit
    }

    /// The number of lookups of a key in memory.
    func lookups(of key: CacheKey) -> Int { lookups.now[key] ?? 0 }

    func image(for key: CacheKey) -> Image? {
        lookups.withLock { $0[key, default: 0] += 1 }
        defer { if removesOnHit { inner.remove(key, from: .memory) } }
        return inner.image(for: key)
    }

    var tiers: CacheTiers { inner.tiers }

    func store(_ image: Image, for key: CacheKey, timeToLive: Duration?) -> Int {
        inner.store(image, for: key, timeToLive: timeToLive)
    }

    func entry(for key: CacheKey) -> CacheEntry? { inner.entry(for: key) }
    func store(_ entry: CacheEntry, for key: CacheKey) { inner.store(entry, for: key) }
    func remove(_ key: CacheKey, from tiers: CacheTiers) { inner.remove(key, from: tiers) }

    func tiers(holding key: CacheKey, among tiers: CacheTiers) -> CacheTiers {
        inner.tiers(holding: key, among: tiers)
    }

    func clear(_ tiers: CacheTiers) async throws(TintypeError) { try await inner.clear(tiers) }
    func flush() async throws(TintypeError) { try await inner.flush() }
}
