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
        if let entries = entriesHandle() {
            for case (let name, .accessed(let time)) in batch.changes { entries.recordAccess(name, at: time) }
        }
        do {
            try useIndex { index in
                try index.apply(batch)
                if batch.adds { _ = try enforceLimits(index) }
            }
        } catch {
            // Unrecorded uses are not an error: the directory may be read-only on purpose.
            if batch.adds { report(DiskIndex.failure(error, layout)) }
        }
    }

    /// Runs `body` on the open index. If the index is damaged, or another process has replaced it, opens a new one and
    /// runs `body` again: the files have everything that a damaged index loses.
    ///
    /// After an error the index is closed, and the next use repairs it.
    func useIndex<Value>(_ body: (DiskIndex) throws -> Value) throws -> Value {
        // Two attempts are not enough, because another process may damage or replace the new index too.
        for _ in 1...2 {
            let index: DiskIndex
            do { index = try openIndex() } catch  where DiskIndex.isConnectionLost(error) { continue }
            do {
                return try body(index)
            } catch {
                let isLost = DiskIndex.isConnectionLost(error) || !index.isCurrent(layout)
                closeIndex(index, after: error)
                if !isLost { throw error }
            }
        }
        let index = try openIndex()
        do {
            return try body(index)
        } catch {
            closeIndex(index, after: error)
            throw error
        }
    }

    /// Closes an index after an error, and deletes it if it is damaged. The next use opens it again and repairs it.
    ///
    /// Another thread may have opened a sound one since, which stays.
    func closeIndex(_ index: DiskIndex, after error: any Error) {
        state.withLock { state in
            if state.index === index { state.index = nil }
            state.isIndexBehind = true
        }
        if DiskIndex.isDamage(error) { index.delete(layout) }
    }

    /// Returns the open index. A lost or damaged index is rebuilt in the background.
    func openIndex() throws -> DiskIndex {
        if let index = state.withLock({ $0.index }), index.isCurrent(layout) {
            try repairIfBehind(index)
            return index
        }
        do {
            return try makeIndex()
        } catch {
            state.withLock { $0.isIndexBehind = true }
            throw error
        }
    }

    private func makeIndex() throws -> DiskIndex {
        let folders = try WriterFolders(layout)
        let stopped = WriterLock.recover(folders)
        let index = try DiskIndex(layout, in: folders.home)
        state.withLock { state in
            state.index = index
            state.isIndexBehind = state.isIndexBehind || !stopped.isEmpty
        }
        try repairIfBehind(index)
        // The index is now marked as behind. Removing the files earlier could lose that mark.
        for lock in stopped { folders.writers.remove(lock) }
        if try !index.isReconciled { reconcileInBackground(index) }
        return index
    }

    private func repairIfBehind(_ index: DiskIndex) throws {
        guard state.withLock({ $0.isIndexBehind }) else { return }
        do {
            try index.markUnreconciled()
        } catch {
            closeIndex(index, after: error)
            throw error
        }
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
            closeIndex(index, after: error)
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
    /// removed, even if the index could not record that.
    func makeRoom(_ byteCount: Int) -> Bool {
        let before = stats.evictions
        // An error is not reported: the write that needs the room fails again.
        _ = try? useIndex { index in
            let usage = try index.usage
            // Evict more than needed, so that the next write need not evict again, but only a part of a small cache.
            let target = max(0, usage.byteCount - max(4 * byteCount, usage.byteCount / 16))
            _ = try trim(index, to: DiskUsage(count: .max, byteCount: target))
        }
        return stats.evictions > before
    }

    /// Removes files first: on a full disk the index needs their space.
    private func evict(_ records: [IndexRecord], _ index: DiskIndex) throws {
        guard !records.isEmpty else { return }
        // If an entry was stored again just now, the index still holds the old version.
        let isUnrecorded = state.withLock { state in records.map { state.staging.isUnrecorded($0.name) } }
        let victims = zip(records, isUnrecorded).compactMap { $1 ? nil : $0 }
        try performRemoval {
            if let entries = currentEntriesHandle() {
                for victim in victims { entries.remove(victim.name) }
            }
            // Before the index, which may fail: the files are gone either way.
            state.withLock { $0.stats.evictions += victims.count }
            try index.remove(records)
        }
    }
}
