import Synchronization

/// Pictures by key in several tables, each under a lock of its own on a cache line of its own: threads that look for
/// different pictures seldom meet.
///
/// A table is changed only by those who hold the lock of the ``EvictionQueue`` too; so the two always agree.
///
/// `@unchecked Sendable` because the pointer never changes, what it leads to lives as long as this, and each table is
/// reached through its lock alone.
final class MemoryShards: @unchecked Sendable {
    private typealias Shard = Locked<[CacheKey: MemoryEntry]>

    /// A power of two. So many that two threads, each of which is in one half the time, meet once in a hundred times:
    /// to wait for a lock costs as much as fifty look-ups.
    private static let count = 64
    /// Shards that have room between one and the next, so that no two share 128 bytes, which processors load together.
    private static let spacing = max(1, 128 / MemoryLayout<Shard>.stride)

    // Not in an array, which would count references to each on every look-up: an atomic that all threads write.
    private let shards = UnsafeMutablePointer<Shard>.allocate(capacity: count * spacing)

    init() {
        for number in 0..<Self.count { (shards + number * Self.spacing).initialize(to: Locked([:])) }
    }

    deinit {
        for number in 0..<Self.count { (shards + number * Self.spacing).deinitialize(count: 1) }
        shards.deallocate()
    }

    /// What was found under a key, and the uptime from when on it is a miss.
    typealias Finding = (image: Image, expires: Duration?)

    /// The picture of a key, which is noted as used. Only the picture leaves the lock: to count a reference to the entry
    /// too would be one more write to memory that all threads read.
    func find(_ key: CacheKey) -> Finding? {
        shard(of: key).pointee.withLock { entries in
            guard let entry = entries[key] else { return nil }
            entry.noteUse()
            return (entry.image, entry.expires)
        }
    }

    func entry(for key: CacheKey) -> MemoryEntry? { shard(of: key).pointee.withLock { $0[key] } }

    func insert(_ entry: MemoryEntry) {
        // Given out of the lock, so that it does not die in it.
        _ = shard(of: entry.key).pointee.withLock { $0.updateValue(entry, forKey: entry.key) }
    }

    func remove(_ key: CacheKey) {
        _ = shard(of: key).pointee.withLock { $0.removeValue(forKey: key) }
    }

    private func shard(of key: CacheKey) -> UnsafeMutablePointer<Shard> {
        shards + (key.storedHash & (Self.count - 1)) * Self.spacing
    }
}

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
