import Foundation
import TintypeCore

// The removal of entries that are expired, too old or beyond the limits.

extension DiskCache {
    /// The number of files that one eviction step removes.
    private static let evictionStep = 32

    /// Removes one step of expired and aged entries, then evicts until the count and size limits hold.
    ///
    /// - Returns: The number of entries removed.
    func enforceLimits(_ index: DiskIndex) throws -> Int {
        let now = DiskTime(time.date())
        try index.clampTimes(of: limits.expiry, to: now)
        var victims = try index.expired(Self.evictionStep, at: now)
        try evict(victims, index)
        if let age = limits.age {
            let aged = try index.oldest(Self.evictionStep, by: limits.expiry, before: now.earlier(by: age))
            try evict(aged, index)
            victims += aged
        }
        return victims.count + (try trim(index, to: DiskUsage(count: limits.count, byteCount: limits.byteCount)).count)
    }

    /// Removes the oldest entries until at most `target` is left. Returns the number and size of the removed entries.
    func trim(_ index: DiskIndex, to target: DiskUsage) throws -> DiskUsage {
        var removed = DiskUsage()
        var usage = try index.usage
        while usage.count > target.count || usage.byteCount > target.byteCount {
            var victims: [IndexRecord] = []
            for record in try index.oldest(Self.evictionStep, by: limits.expiry) {
                guard usage.count > target.count || usage.byteCount > target.byteCount else { break }
                victims.append(record)
                usage.count -= 1
                usage.byteCount -= record.allocatedSize
            }
            guard !victims.isEmpty else { break }
            let evicted = try evict(victims, index)
            removed.count += evicted.count
            removed.byteCount += evicted.byteCount
        }
        return removed
    }

    /// Evicts entries to make room for a file of `byteCount` bytes on a full disk. Returns whether anything was
    /// removed, even if the index could not record that.
    func makeRoom(_ byteCount: Int) -> Bool {
        let before = stats.evictions
        // An error is not reported: the write that needs the room fails again.
        _ = try? useIndex { index in
            let usage = try index.usage
            // Evict more than needed, so that the next write need not evict again, but only a part of a small cache.
            let needed = 4 * DiskUsage.allocatedSize(byteCount)
            let target = max(0, usage.byteCount - max(needed, usage.byteCount / 16))
            _ = try trim(index, to: DiskUsage(count: .max, byteCount: target))
        }
        return stats.evictions > before
    }

    /// Evicts entries. Removes the files before the records, because on a full disk the index needs their space.
    ///
    /// - Returns: The number and size of the removed files.
    @discardableResult
    private func evict(_ records: [IndexRecord], _ index: DiskIndex) throws -> DiskUsage {
        guard !records.isEmpty else { return DiskUsage() }
        // If an entry was stored again just now, the index still holds the old version.
        let isUnrecorded = state.withLock { state in records.map { state.staging.isUnrecorded($0.name) } }
        let victims = zip(records, isUnrecorded).compactMap { $1 ? nil : $0 }
        return try performRemoval {
            let entries = currentEntriesHandle()
            let removed = DiskUsage(of: victims.filter { entries?.remove($0.name) ?? true })
            // Before the index, which may fail: the files are gone either way.
            state.withLock { $0.stats.evictions += removed.count }
            try index.remove(records)
            return removed
        }
    }
}
