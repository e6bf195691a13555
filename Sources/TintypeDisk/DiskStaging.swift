import Foundation
import TintypeCore

/// What waits to be written: entries, and changes to the bookkeeping. Reads see it from the moment it is here.
///
/// It knows no files, threads or time. Encoded bytes wait here, never decoded pictures, and not without bound: beyond
/// ``capacity`` an entry is turned away, since a cache may forget.
struct DiskStaging: Sendable {
    /// Bytes that may wait.
    let capacity: Int

    private var waiting: [CacheKey: (entry: CacheEntry, number: Int)] = [:]
    private var order: ArraySlice<(key: CacheKey, number: Int)> = []
    private var batch = IndexBatch()
    private var byteCount = 0
    private var lastNumber = 0
    private(set) var isDraining = false

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Uses of entries that may go unrecorded for a while, since recording each would write for every read.
    private static let accessesWorthWriting = 256

    /// An entry that is not written yet.
    func entry(for key: CacheKey) -> CacheEntry? { waiting[key]?.entry }

    /// Returns whether the caller has to start draining.
    mutating func add(_ entry: CacheEntry, for key: CacheKey) -> Bool {
        discard(key)
        guard byteCount + entry.data.count <= capacity else { return false }
        lastNumber += 1
        waiting[key] = (entry, lastNumber)
        order.append((key, lastNumber))
        byteCount += entry.data.count
        return startDraining()
    }

    /// Returns whether the caller has to start draining.
    mutating func recordAccess(_ name: EntryName, at date: Date) -> Bool {
        batch.accessed[name] = date
        return batch.accessed.count >= Self.accessesWorthWriting && startDraining()
    }

    /// Returns whether the caller has to start draining.
    mutating func recordRemoval(_ key: CacheKey, _ name: EntryName) -> Bool {
        discard(key)
        batch.accessed[name] = nil
        batch.removed.append(name)
        return startDraining()
    }

    /// Begins draining whatever waits, even if it would not be worth it yet. Returns whether the caller has to.
    mutating func startDraining() -> Bool {
        guard !isDraining else { return false }
        isDraining = true
        return true
    }

    /// The next things to write; `nil` when nothing is left, and draining is over.
    mutating func next(_ count: Int) -> (entries: [(key: CacheKey, entry: CacheEntry, number: Int)], batch: IndexBatch)?
    {
        guard !waiting.isEmpty || !batch.isEmpty else {
            order = []
            isDraining = false
            return nil
        }
        let entries = order.prefix(count).compactMap { place in
            waiting[place.key].flatMap { $0.number == place.number ? (place.key, $0.entry, place.number) : nil }
        }
        order = order.dropFirst(count)
        defer { batch = IndexBatch() }
        return (entries, batch)
    }

    /// Forgets an entry that has been written, unless another took its place meanwhile.
    ///
    /// Returns whether its file may stay: not when the entry was removed while it was being written.
    mutating func written(_ key: CacheKey, _ number: Int) -> Bool {
        guard let standing = waiting[key] else { return false }
        if standing.number == number { discard(key) }
        return true
    }

    private mutating func discard(_ key: CacheKey) {
        guard let old = waiting.removeValue(forKey: key) else { return }
        byteCount -= old.entry.data.count
    }
}
