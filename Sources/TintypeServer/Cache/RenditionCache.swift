import Foundation
import TintypeCore

/// Renditions in memory, and in a cache below it: the disk, and those of other machines.
struct RenditionCache: Sendable {
    /// The cache that had a rendition.
    enum Tier: String, Sendable {
        case memory
        case disk
        /// Another machine.
        case shared
        /// The disk with sources that are passed through.
        case raw
    }

    private let memory: EvictingCache<RenditionKey, EncodedRendition>
    private let below: (any DataCaching)?
    private let disk: (any DataCaching)?
    private let metrics: ServerMetrics?

    /// - Parameters:
    ///   - memory: The largest number of bytes in memory.
    ///   - below: The cache that is asked next.
    ///   - disk: The part of it that is on this machine.
    ///   - metrics: Counts lookups in memory. The cache below counts its own.
    init(
        memory: Int, below: (any DataCaching)? = nil, disk: (any DataCaching)? = nil, metrics: ServerMetrics? = nil
    ) {
        self.memory = EvictingCache(cost: memory)
        (self.below, self.disk, self.metrics) = (below, disk, metrics)
    }

    /// Returns a rendition in memory. Never blocks.
    func inMemory(_ key: RenditionKey) -> EncodedRendition? {
        let rendition = memory.value(for: key)
        metrics?.lookedUp(tier: "memory", isHit: rendition != nil)
        return rendition
    }

    /// Returns a rendition of the cache below, and stores it in memory: first from the disk, on a thread of its queue,
    /// then from other machines, without a thread that waits.
    func below(_ key: RenditionKey) async -> (EncodedRendition, Tier)? {
        guard let below else { return nil }
        let cacheKey = key.cacheKey
        let local = try? await WorkQueue.disk.run(for: JobContext(priority: .normal)) {
            below.entryOnThisMachine(for: cacheKey)
        }
        if let local = local ?? nil, let rendition = EncodedRendition(local) {
            keepInMemory(rendition, for: key)
            return (rendition, .disk)
        }
        guard let remote = await below.remote?.remoteEntry(for: cacheKey),
            let rendition = EncodedRendition(remote)
        else { return nil }
        keepInMemory(rendition, for: key)
        return (rendition, .shared)
    }

    /// Stores a rendition everywhere. The cache below writes it in the background.
    func store(_ rendition: EncodedRendition, for key: RenditionKey) {
        keepInMemory(rendition, for: key)
        below?.store(rendition.cacheEntry, for: key.cacheKey)
    }

    /// Stores a rendition on this machine alone, because a lease stores it in the shared tiers.
    func storeLocally(_ rendition: EncodedRendition, for key: RenditionKey) {
        keepInMemory(rendition, for: key)
        disk?.store(rendition.cacheEntry, for: key.cacheKey)
    }

    private func keepInMemory(_ rendition: EncodedRendition, for key: RenditionKey) {
        memory.store(rendition, for: key, cost: rendition.data.count + key.options.utf8.count + 512)
    }

    /// Waits until everything stored so far is written.
    func flush() async throws(TintypeError) { try await below?.flush() }
}
