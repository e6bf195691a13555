import Foundation
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
                try maintainPresence(index)
            }
            if batch.adds { compactSegments() }
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
        // Up to six attempts: other processes may damage or replace the new index too. The last one follows the loop.
        for _ in 1...5 {
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
        if DiskIndex.isDamage(error) { index.delete() }
        closeIndex(index)
    }

    /// Another thread may just have recorded a change in an index that was replaced, so the new one is rebuilt from the
    /// files.
    private func closeIndex(_ index: DiskIndex) {
        state.withLock { state in
            if state.index === index { state.index = nil }
            state.isIndexBehind = true
        }
    }

    /// Returns the open index. A lost or damaged index is rebuilt in the background.
    func openIndex() throws -> DiskIndex {
        if let index = state.withLock({ $0.index }) {
            if index.isCurrent(layout) {
                try repairIfBehind(index)
                return index
            }
            closeIndex(index)
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
        if !stopped.isEmpty { try recoverSegments() }
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
            guard try reconcile(index) else { return }
            WorkQueue.disk.enqueue(at: .veryLow) { [weak self] in self?.reconcileStep(index) }
        } catch {
            closeIndex(index, after: error)
        }
    }
}
