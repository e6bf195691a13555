/// Weak references to images that a memory cache no longer holds but the program may. Finding one saves a second
/// decode.
///
/// It has no locks, threads or clocks. References to freed images are swept out when the number of references has
/// doubled since the last sweep, so every operation is amortised O(1).
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
    /// The number of references at which the next sweep starts.
    private var sweepCount = 64

    /// Adds references to the images of evicted entries.
    ///
    /// - Returns: Images to release after unlocking. A sweep takes a strong reference to each living image, and that
    ///   may become the last one.
    mutating func add(_ entries: [MemoryEntry]) -> [Image] {
        var held: [Image] = []
        for entry in entries {
            if references.count >= sweepCount { held += sweep() }
            references[entry.key] = Reference(entry)
        }
        return held
    }

    /// Removes the reference of a key and returns its entry, or `nil` if the image is gone. The caller stores it again.
    mutating func take(_ key: CacheKey) -> MemoryEntry? {
        guard let reference = references.removeValue(forKey: key), let image = reference.image else { return nil }
        return MemoryEntry(image, for: key, cost: reference.cost, expires: reference.expires)
    }

    mutating func remove(_ key: CacheKey) { references[key] = nil }

    mutating func removeAll() { references = [:] }

    /// Removes the references to freed images. Returns the living images.
    private mutating func sweep() -> [Image] {
        let living = references.compactMapValues(\.image)
        references = references.filter { living[$0.key] != nil }
        sweepCount = max(64, 2 * references.count)
        return Array(living.values)
    }
}
