/// Pictures that a cache no longer keeps, as long as someone else does: finding one saves decoding it a second time.
///
/// It knows no locks or threads, and keeps no picture alive. What has died is swept out when there may be as much of it
/// as of the living, so every operation costs O(1), amortised.
struct LivingImages: Sendable {
    private struct Reference: Sendable {
        weak let image: Image?
    }

    private var references: [CacheKey: Reference] = [:]
    private var sweepCount = 64

    var count: Int { references.count }

    mutating func add(_ image: Image, for key: CacheKey) {
        if references.count >= sweepCount { sweep() }
        references[key] = Reference(image: image)
    }

    /// The picture, which is taken out: whoever asks keeps it again.
    mutating func take(_ key: CacheKey) -> Image? {
        references.removeValue(forKey: key)?.image
    }

    mutating func remove(_ key: CacheKey) { references[key] = nil }

    mutating func removeAll() { references = [:] }

    private mutating func sweep() {
        references = references.filter { $0.value.image != nil }
        sweepCount = max(64, 2 * references.count)
    }
}
