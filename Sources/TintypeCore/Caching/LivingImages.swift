/// Pictures that a cache no longer keeps, as long as someone else does: finding one saves decoding it a second time.
///
/// It knows no locks, threads or time, and keeps no picture alive. What has died is swept out when there may be as much of
/// it as of the living, so every operation costs O(1), amortised.
struct LivingImages: Sendable {
    private struct Reference: Sendable {
        weak let image: Image?
        let cost: Int
        let expires: Duration?

        init(_ entry: MemoryEntry) {
            (image, cost, expires) = (entry.image, entry.cost, entry.expires)
        }
    }

    private var references: [CacheKey: Reference] = [:]
    private var sweepCount = 64

    var count: Int { references.count }

    /// - Returns: pictures that have to be let go where that may take its time: whoever looks whether one lives may be the
    ///   last to have it.
    mutating func add(_ entries: [MemoryEntry]) -> [Image] {
        var held: [Image] = []
        for entry in entries {
            if references.count >= sweepCount { held += sweep() }
            references[entry.key] = Reference(entry)
        }
        return held
    }

    /// The picture with all that was known of it, which is taken out: whoever asks keeps it again.
    mutating func take(_ key: CacheKey) -> MemoryEntry? {
        guard let reference = references.removeValue(forKey: key), let image = reference.image else { return nil }
        return MemoryEntry(image, for: key, cost: reference.cost, expires: reference.expires)
    }

    mutating func remove(_ key: CacheKey) { references[key] = nil }

    mutating func removeAll() { references = [:] }

    private mutating func sweep() -> [Image] {
        let living = references.compactMapValues(\.image)
        references = references.filter { living[$0.key] != nil }
        sweepCount = max(64, 2 * references.count)
        return Array(living.values)
    }
}
