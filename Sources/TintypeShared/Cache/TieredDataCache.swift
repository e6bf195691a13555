public import TintypeCore

/// Several caches of encoded images used as one, from the fastest to the slowest: a disk cache, then shared tiers.
///
/// Pass it to an `ImageCache` in place of its disk cache:
///
/// ```swift
/// let tiers = TieredDataCache([DiskCache(), SharedCache(redis), SharedCache(bucket)])
/// configuration.cache = ImageCache(disk: tiers)
/// ```
///
/// A read asks one tier after another, and stores a hit in the tiers before it. A write and a removal reach all tiers;
/// each makes it in the background if it is slow. You can call every method from any thread.
public final class TieredDataCache: RemoteDataCaching, SpillFileMaker {
    /// The tiers, from the fastest to the slowest.
    public let tiers: [any DataCaching]
    /// The reads that may still store their hit in the tiers before it.
    private let reads = Locked(RunningReads())

    /// Creates a cache from its tiers, from the fastest to the slowest.
    public init(_ tiers: [any DataCaching]) {
        self.tiers = tiers
    }

    /// Returns the verified entry of the first tier that has it, or `nil` for a miss. Blocks, at most as long as all
    /// tiers together.
    public func entry(for key: CacheKey) -> CacheEntry? {
        firstEntry(for: key) { $0.entry(for: key) }
    }

    /// Creates a file for a large body in the folder of the first tier on disk.
    package func makeSpillFile(for byteCount: Int) -> SpillFile? {
        for case let tier as any SpillFileMaker in tiers { return tier.makeSpillFile(for: byteCount) }
        return nil
    }

    /// Whether a tier has entries on other machines.
    package var hasRemoteEntries: Bool { tiers.contains { $0.remote != nil } }

    /// Returns the verified entry of the first tier that has it on this machine, or `nil` for a miss. Blocks.
    package func localEntry(for key: CacheKey) -> CacheEntry? {
        firstEntry(for: key) { $0.entryOnThisMachine(for: key) }
    }

    /// Returns the verified entry of the first tier that has it on another machine, or `nil` for a miss, without
    /// blocking.
    package func remoteEntry(for key: CacheKey) async -> CacheEntry? {
        let read = reads.withLock { $0.begin(key) }
        defer { reads.withLock { $0.end(read) } }
        for (index, tier) in tiers.enumerated() {
            guard let entry = await tier.remote?.remoteEntry(for: key) else { continue }
            let faster = tiers[..<index]
            if !fill(faster, with: entry, for: key, by: read) {
                WorkQueue.disk.enqueue(at: .normal) { for tier in faster { tier.remove(key) } }
            }
            return entry
        }
        return nil
    }

    private func firstEntry(for key: CacheKey, in find: (any DataCaching) -> CacheEntry?) -> CacheEntry? {
        // Most reads end at the first tier, and need no bookkeeping.
        guard let first = tiers.first else { return nil }
        if let entry = find(first) { return entry }
        let read = reads.withLock { $0.begin(key) }
        defer { reads.withLock { $0.end(read) } }
        for (index, tier) in tiers.enumerated().dropFirst() {
            guard let entry = find(tier) else { continue }
            let faster = tiers[..<index]
            if !fill(faster, with: entry, for: key, by: read) { for tier in faster { tier.remove(key) } }
            return entry
        }
        return nil
    }

    /// Stores an entry in all tiers. Returns at once.
    public func store(_ entry: CacheEntry, for key: CacheKey) {
        reads.withLock { $0.change(key) }
        for tier in tiers { tier.store(entry, for: key) }
    }

    /// Removes the entry of a key from all tiers. Blocks.
    public func remove(_ key: CacheKey) {
        reads.withLock { $0.change(key) }
        for tier in tiers { tier.remove(key) }
    }

    /// Returns whether a tier has an entry for a key, without verifying it. Blocks.
    public func contains(_ key: CacheKey) -> Bool { tiers.contains { $0.contains(key) } }

    /// Removes all entries from all tiers, even if one fails. See also ``SharedCache/removeAll()``.
    ///
    /// - Throws: `TintypeError.Code.unwritable` if the files of a tier cannot be removed.
    public func removeAll() async throws(TintypeError) {
        reads.withLock { $0.changeAll() }
        try await forEachTier { tier throws(TintypeError) in try await tier.removeAll() }
    }

    /// Waits, without blocking, until all tiers have written everything stored so far.
    ///
    /// - Throws: `TintypeError.Code.unwritable` if a tier has failed to write a file since the last call.
    public func flush() async throws(TintypeError) {
        try await forEachTier { tier throws(TintypeError) in try await tier.flush() }
    }

    /// Stores a hit in faster tiers, unless the key was changed since the read began: the hit may be older than an
    /// entry that was stored, or one that was removed, since then.
    ///
    /// - Returns: `false` if the key was changed while the hit was being stored, which may have undone the change. The
    ///   caller must then remove the key from these tiers. Later changes come after the check and undo the hit.
    private func fill(
        _ faster: ArraySlice<any DataCaching>, with entry: CacheEntry, for key: CacheKey, by read: RunningReads.Read
    ) -> Bool {
        guard reads.withLock({ $0.isCurrent(read) }) else { return true }
        for tier in faster { tier.store(entry, for: key) }
        return reads.withLock { $0.isCurrent(read) }
    }

    private func forEachTier(_ body: (any DataCaching) async throws(TintypeError) -> Void) async throws(TintypeError) {
        var first: TintypeError?
        for tier in tiers {
            do throws(TintypeError) { try await body(tier) } catch { first = first ?? error }
        }
        if let first { throw first }
    }
}

/// The reads that run, and whether their keys were changed meanwhile. A pure value.
struct RunningReads: Sendable {
    /// A read that runs.
    struct Read: Sendable {
        fileprivate let key: CacheKey
        fileprivate let version: Int
    }

    private var keys: [CacheKey: (readers: Int, version: Int)] = [:]

    /// Whether no read runs.
    var isEmpty: Bool { keys.isEmpty }

    mutating func begin(_ key: CacheKey) -> Read {
        let entry = keys[key] ?? (0, 0)
        keys[key] = (entry.readers + 1, entry.version)
        return Read(key: key, version: entry.version)
    }

    /// Must be called once for each ``begin(_:)``.
    mutating func end(_ read: Read) {
        guard let entry = keys[read.key] else { return }
        keys[read.key] = entry.readers > 1 ? (entry.readers - 1, entry.version) : nil
    }

    mutating func change(_ key: CacheKey) {
        keys[key]?.version += 1
    }

    mutating func changeAll() {
        for key in keys.keys { change(key) }
    }

    /// Whether the key of a read was not changed since the read began.
    func isCurrent(_ read: Read) -> Bool { keys[read.key]?.version == read.version }
}
