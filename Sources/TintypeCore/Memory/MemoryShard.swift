/// One of several tables of pictures by key, each under a lock of its own: threads that look for different pictures
/// seldom meet.
///
/// A table is changed only by those who hold the lock of the ``EvictionQueue`` too; so the two always agree.
final class MemoryShard: Sendable {
    private let entries = Locked<[CacheKey: MemoryEntry]>([:])

    func entry(for key: CacheKey) -> MemoryEntry? { entries.withLock { $0[key] } }

    func insert(_ entry: MemoryEntry) {
        entries.withLock { $0[entry.key] = entry }
    }

    func remove(_ key: CacheKey) {
        // Given out of the lock, so that it does not die in it.
        _ = entries.withLock { $0.removeValue(forKey: key) }
    }
}
