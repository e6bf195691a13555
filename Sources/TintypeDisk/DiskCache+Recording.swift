import Foundation
import Logging
import TintypeCore

// The bookkeeping. It is written in batches, and nothing else waits for it.

extension DiskCache {
    func recordChanges() {
        while let batch = state.withLock({ $0.staging.takeBatch() }) {
            resumeFlushes()
            record(batch)
        }
        markCleanIfSettled()
        resumeFlushes()
    }

    /// Marks this writer as clean if every change is recorded. After a crash, the index then lacks nothing.
    func markCleanIfSettled() {
        let (lock, isSettled) = state.withLock { ($0.writerLock, $0.isSettled) }
        guard let lock, isSettled else { return }
        lock.set(isDirty: false)
        // A writer may have started in between.
        if state.withLock({ !$0.isSettled }) { lock.set(isDirty: true) }
    }

    /// Applies a batch to the index, then enforces the limits. A cache that is only read creates no index.
    private func record(_ batch: IndexBatch) {
        guard batch.adds || layout.exists else { return }
        do {
            let index = try openIndex()
            for case (let name, .accessed(let time)) in batch.changes {
                EntryFile.recordAccess(layout.path(of: name), at: time)
            }
            try index.apply(batch)
            if batch.adds { _ = try enforceLimits(index) }
        } catch {
            closeIndex(after: error)
            // Unrecorded uses are not an error: the directory may be read-only on purpose.
            if batch.adds { report(DiskIndex.failure(error, layout)) }
        }
    }

    /// Closes the index after an error and deletes it if it is damaged. The next use opens it again and repairs it.
    func closeIndex(after error: any Error) {
        let index = state.withLock { state in
            defer { state.index = nil }
            state.isIndexBehind = true
            return state.index
        }
        if DiskIndex.isDamage(error) { index?.delete(layout) }
    }

    /// Returns the open index. A lost or damaged index is rebuilt in the background.
    func openIndex() throws -> DiskIndex {
        if let index = state.withLock({ $0.index }), index.isCurrent(layout) {
            try repairIfBehind(index)
            return index
        }
        let stopped = WriterLock.recover(layout)
        let index = try DiskIndex(layout)
        state.withLock { state in
            state.index = index
            state.isIndexBehind = state.isIndexBehind || !stopped.isEmpty
        }
        try repairIfBehind(index)
        // The index is now marked as behind. Removing the files earlier could lose that mark.
        for path in stopped { unlink(path) }
        if try !index.isReconciled { reconcileInBackground(index) }
        return index
    }

    private func repairIfBehind(_ index: DiskIndex) throws {
        guard state.withLock({ $0.isIndexBehind }) else { return }
        try index.markUnreconciled()
        state.withLock { $0.isIndexBehind = false }
        reconcileInBackground(index)
    }

    /// Reconciles one step at a time, so that more urgent work goes first.
    private func reconcileInBackground(_ index: DiskIndex) {
        state.withLock { $0.stats.rebuilds += 1 }
        WorkQueue.disk.enqueue(at: .veryLow) { [weak self] in self?.reconcileStep(index) }
    }

    private func reconcileStep(_ index: DiskIndex) {
        guard state.withLock({ $0.index === index }) else { return }
        do {
            guard try index.reconcile(layout) else { return }
            WorkQueue.disk.enqueue(at: .veryLow) { [weak self] in self?.reconcileStep(index) }
        } catch {
            closeIndex(after: error)
        }
    }
}

// MARK: - Limits

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
                usage.byteCount -= record.size
            }
            guard !victims.isEmpty else { break }
            try evict(victims, index)
            removed.count += victims.count
            removed.byteCount += victims.reduce(0) { $0 + $1.size }
        }
        return removed
    }

    /// Evicts entries to make room for a file of `byteCount` bytes on a full disk. Returns whether anything was
    /// removed.
    func makeRoom(_ byteCount: Int) -> Bool {
        do {
            let index = try openIndex()
            let usage = try index.usage
            // Evict more than needed, so that the next write need not evict again, but only a part of a small cache.
            let target = max(0, usage.byteCount - max(4 * byteCount, usage.byteCount / 16))
            return try trim(index, to: DiskUsage(count: .max, byteCount: target)).count > 0
        } catch {
            closeIndex(after: error)
            return false
        }
    }

    /// Removes files first: on a full disk the index needs their space.
    private func evict(_ records: [IndexRecord], _ index: DiskIndex) throws {
        guard !records.isEmpty else { return }
        // If an entry was stored again just now, the index still holds the old version.
        let isUnrecorded = state.withLock { state in records.map { state.staging.isUnrecorded($0.name) } }
        let victims = zip(records, isUnrecorded).compactMap { $1 ? nil : $0 }
        try performRemoval {
            for victim in victims { unlink(layout.path(of: victim.name)) }
            try index.remove(records)
        }
        state.withLock { $0.stats.evictions += victims.count }
    }
}
