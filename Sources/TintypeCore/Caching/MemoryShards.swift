import Synchronization

/// Memory entries by key, in several tables with a lock and a cache line each, so that threads that look up different
/// images rarely contend.
///
/// A table changes only while its caller also holds the lock of the ``EvictionQueue``, so the two always agree.
///
/// `@unchecked Sendable` because the pointer never changes, its memory lives as long as this object, and each table is
/// reached only through its lock.
final class MemoryShards: @unchecked Sendable {
    // Unmanaged, because a hit would otherwise count a reference to the entry besides that to its image: one more write
    // to memory that all threads read. A table owns a reference to each of its entries.
    private typealias Shard = Locked<[CacheKey: Unmanaged<MemoryEntry>]>

    /// The number of shards, a power of two. With 64, two threads that each spend half their time in a shard contend
    /// once in about a hundred lookups. Waiting for a lock costs as much as fifty lookups.
    private static let count = 64
    /// The distance between shards, in shards, so that no two share the 128 bytes that processors load together.
    private static let spacing = max(1, 128 / MemoryLayout<Shard>.stride)

    // Not an array: every lookup would count a reference to its storage, an atomic that all threads write.
    private let shards = UnsafeMutablePointer<Shard>.allocate(capacity: count * spacing)

    init() {
        for number in 0..<Self.count { (shards + number * Self.spacing).initialize(to: Locked([:])) }
    }

    deinit {
        for number in 0..<Self.count {
            let shard = shards + number * Self.spacing
            for entry in shard.pointee.withLock({ Array($0.values) }) { entry.release() }
            shard.deinitialize(count: 1)
        }
        shards.deallocate()
    }

    /// An image and the uptime at which it expires; `nil` if it does not.
    typealias Hit = (image: Image, expires: Duration?)

    /// Returns the image of a key and marks its entry as used.
    ///
    /// Only the image leaves the lock.
    func lookUp(_ key: CacheKey) -> Hit? {
        shard(of: key).pointee.withLock { entries in
            // The table holds the entry until the lock is released.
            entries[key]?._withUnsafeGuaranteedRef { entry in
                entry.markUsed()
                return (entry.image, entry.expires)
            }
        }
    }

    /// Returns the entry of a key without marking it as used.
    func entry(for key: CacheKey) -> MemoryEntry? {
        shard(of: key).pointee.withLock { $0[key]?.takeUnretainedValue() }
    }

    func insert(_ entry: MemoryEntry) {
        let new = Unmanaged.passRetained(entry)
        // Returns the old entry from the closure, so that it is freed after unlocking.
        shard(of: entry.key).pointee.withLock { $0.updateValue(new, forKey: entry.key) }?.release()
    }

    func remove(_ key: CacheKey) {
        shard(of: key).pointee.withLock { $0.removeValue(forKey: key) }?.release()
    }

    private func shard(of key: CacheKey) -> UnsafeMutablePointer<Shard> {
        shards + (key.storedHash & (Self.count - 1)) * Self.spacing
    }
}

/// An image in memory, with the mark that a hit sets.
///
/// The mark is atomic because evictions read it without the lock of the shard. A hit writes it only if it is not set,
/// so threads that read the same popular image do not keep writing to its cache line.
final class MemoryEntry: Sendable {
    let key: CacheKey
    let image: Image
    /// The bytes that ``CacheLimits/cost`` charges: see ``cost(of:for:)``.
    let cost: Int
    /// The uptime at which the entry expires; `nil` if it does not.
    let expires: Duration?
    private let mark = Atomic(false)

    init(_ image: Image, for key: CacheKey, cost: Int, expires: Duration?) {
        self.key = key
        self.image = image
        self.cost = cost
        self.expires = expires
    }

    /// The bytes that an entry needs besides its image and its key: the objects of both, the entry, the node of the
    /// ``EvictionQueue``, and a slot in two tables. Without them, millions of tiny images would cost nearly nothing.
    static let overhead = 512

    /// Returns the cost of an image in the cache. Its key counts because a URL can have 64 KB, and a data URL
    /// megabytes.
    static func cost(of image: Image, for key: CacheKey) -> Int { image.memoryCost + key.byteCount + overhead }

    func markUsed() {
        if !mark.load(ordering: .relaxed) { mark.store(true, ordering: .relaxed) }
    }

    /// Clears the mark. Returns whether the entry was used since the last call.
    func takeUsedMark() -> Bool {
        mark.load(ordering: .relaxed) && mark.exchange(false, ordering: .relaxed)
    }

    func isExpired(at now: Duration) -> Bool {
        expires.map { $0 <= now } ?? false
    }
}
