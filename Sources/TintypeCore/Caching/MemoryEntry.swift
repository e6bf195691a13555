import Synchronization

/// One picture in memory, with the mark that a hit leaves.
///
/// The mark is an atomic and not in a lock, so that a hit writes one byte, and only when it is not set yet: pictures that
/// everyone looks at are not fought over.
final class MemoryEntry: Sendable {
    let key: CacheKey
    let image: Image
    /// Bytes that it counts for.
    let cost: Int
    /// The uptime from when on it is a miss.
    let expires: Duration?
    private let mark = Atomic(false)

    init(_ image: Image, for key: CacheKey, cost: Int, expires: Duration?) {
        self.key = key
        self.image = image
        self.cost = cost
        self.expires = expires
    }

    func noteUse() {
        if !mark.load(ordering: .relaxed) { mark.store(true, ordering: .relaxed) }
    }

    /// Whether it was used since this was last asked.
    func takeMark() -> Bool {
        mark.load(ordering: .relaxed) && mark.exchange(false, ordering: .relaxed)
    }

    func isOver(at now: Duration) -> Bool {
        expires.map { $0 <= now } ?? false
    }
}
