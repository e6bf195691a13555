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
        let swept = try sweepSegments(at: now)
        return victims.count + swept
            + (try trim(index, to: DiskUsage(count: limits.count, byteCount: limits.byteCount)).count)
    }

    /// Removes the oldest entries until at most `target` is left. Returns the number and size of the removed entries.
    func trim(_ index: DiskIndex, to target: DiskUsage) throws -> DiskUsage {
        let segments = currentSegments()
        let inSegments = try segments?.usage() ?? DiskUsage()
        var usage = try index.usage
        usage.add(inSegments)
        guard usage.exceeds(target) else { return DiskUsage() }
        // Finding the oldest of many records takes time, so more of them are evicted at once.
        let target = target.lowered(by: inSegments.count / Self.manyRecords)
        var removed = DiskUsage()
        var records = ArraySlice(try segments?.records(by: limits.expiry) ?? [])
        while usage.exceeds(target) {
            let victims = Victims(
                try index.oldest(Self.evictionStep, by: limits.expiry), &records, by: limits.expiry, &usage, target)
            guard !victims.isEmpty else { break }
            removed.add(try evict(victims.files, index))
            removed.add(segments.map { evict(victims.records, from: $0) } ?? DiskUsage())
        }
        return removed
    }

    /// The number of entries in segments from which more than needed are evicted.
    private static let manyRecords = 4096

    private func evict(_ records: [StoredRecord], from segments: SegmentStore) -> DiskUsage {
        let removed = records.reduce(into: DiskUsage()) { removed, record in
            if segments.remove(record.place, of: record.name) { removed.add(record.usage) }
        }
        state.withLock { $0.stats.evictions += removed.count }
        return removed
    }

    /// Evicts entries to make room for a file of `byteCount` bytes on a full disk. Returns whether anything was
    /// removed, even if the index could not record that.
    func makeRoom(_ byteCount: Int) -> Bool {
        let before = stats.evictions
        // An error is not reported: the write that needs the room fails again.
        let hasRemovedFiles = try? useIndex { index in
            let files = try index.usage
            var usage = files
            if let segments = currentSegments() { usage.add(try segments.usage()) }
            // Evict more than needed, so that the next write need not evict again, but only a part of a small cache.
            let needed = 4 * DiskUsage.allocatedSize(byteCount)
            let target = max(0, usage.byteCount - max(needed, usage.byteCount / 16))
            _ = try trim(index, to: DiskUsage(count: .max, byteCount: target))
            return try index.usage.count < files.count
        }
        // Space in segments is regained with whole segments only.
        if hasRemovedFiles != true, let removed = try? currentSegments()?.removeWorst() {
            state.withLock { $0.stats.evictions += removed }
            return true
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

extension DiskUsage {
    /// Whether there is more than a limit.
    fileprivate func exceeds(_ limit: DiskUsage) -> Bool { count > limit.count || byteCount > limit.byteCount }

    /// A limit that is lower by some 64ths, at most 2.
    fileprivate func lowered(by parts: Int) -> DiskUsage {
        let parts = min(parts, 2)
        return DiskUsage(count: count - count / 64 * parts, byteCount: byteCount - byteCount / 64 * parts)
    }
}

/// The entries that one step of an eviction removes.
private struct Victims {
    var files: [IndexRecord] = []
    var records: [StoredRecord] = []

    var isEmpty: Bool { files.isEmpty && records.isEmpty }

    /// Takes the oldest entries until a target is met, or the files end.
    ///
    /// - Parameters:
    ///   - files: The oldest files, the oldest first.
    ///   - candidates: The entries in segments, the oldest first. Those that are taken are removed.
    ///   - usage: What is left after these are removed.
    init(
        _ files: [IndexRecord], _ candidates: inout ArraySlice<StoredRecord>, by expiry: DiskLimits.Expiry,
        _ usage: inout DiskUsage, _ target: DiskUsage
    ) {
        var files = ArraySlice(files)
        while usage.exceeds(target) {
            let file = files.first
            if let record = candidates.first, file.map({ record.time < $0.time(of: expiry) }) ?? true {
                records.append(record)
                candidates.removeFirst()
                usage.remove(record.usage)
            } else if let file {
                self.files.append(file)
                files.removeFirst()
                usage.remove(DiskUsage(count: 1, byteCount: file.allocatedSize))
                // There may be more.
                if files.isEmpty { return }
            } else {
                return
            }
        }
    }
}
