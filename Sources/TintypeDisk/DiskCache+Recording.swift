import Foundation
import Logging
import TintypeCore

// The bookkeeping: written in batches, off the way of everything else.

extension DiskCache {
    func recordChanges() {
        while let batch = state.withLock({ $0.staging.nextBatch() }) {
            finish()
            record(batch)
        }
        settle()
        finish()
    }

    /// With the last change recorded, this writer may be stopped without leaving anything unknown behind.
    func settle() {
        let (mark, mayRest) = state.withLock { ($0.mark, $0.isSettled) }
        guard let mark, mayRest else { return }
        mark.set(isDirty: false)
        // A writer may have begun in between.
        if state.withLock({ !$0.isSettled }) { mark.set(isDirty: true) }
    }

    /// Brings the bookkeeping up to date, then keeps the limits. A cache that is only read makes no bookkeeping.
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
            giveUp(error)
            // That uses were not recorded is no one's problem: the directory may be meant to be read only.
            if batch.adds { report(DiskIndex.failure(error, layout)) }
        }
    }

    /// The next use opens the index anew, and repairs what can be repaired.
    func giveUp(_ error: any Error) {
        let index = state.withLock { state in
            defer { state.index = nil }
            state.isIndexBehind = true
            return state.index
        }
        if DiskIndex.isDamage(error) { index?.delete(layout) }
    }

    /// The index, which is made anew in the background when it was lost or damaged.
    func openIndex() throws -> DiskIndex {
        if let index = state.withLock({ $0.index }), index.isCurrent(layout) {
            try catchUp(index)
            return index
        }
        let stopped = WriterMark.recover(layout)
        let index = try DiskIndex(layout)
        state.withLock { state in
            state.index = index
            state.isIndexBehind = state.isIndexBehind || !stopped.isEmpty
        }
        try catchUp(index)
        // What they say is in the index now; before that it might have been lost.
        for sign in stopped { unlink(sign) }
        if try !index.isReconciled { reconcileInBackground(index) }
        return index
    }

    private func catchUp(_ index: DiskIndex) throws {
        guard state.withLock({ $0.isIndexBehind }) else { return }
        try index.distrust()
        state.withLock { $0.isIndexBehind = false }
        reconcileInBackground(index)
    }

    /// A step at a time, so that nothing more urgent waits.
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
            giveUp(error)
        }
    }
}

// MARK: - Limits

extension DiskCache {
    /// Files that one step removes between two looks at the totals.
    private static let evictionStep = 32

    /// Removes up to a step of what is over its time, and all of what is too much. Returns how many entries went.
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

    /// Removes what is oldest until no more than `target` is left; returns what was removed.
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

    /// Makes room on a full disk for a file; returns whether anything was removed.
    func makeRoom(_ byteCount: Int) -> Bool {
        do {
            let index = try openIndex()
            let usage = try index.usage
            // More than is needed, or the next would have to do the same; and little, if there is little.
            let target = max(0, usage.byteCount - max(4 * byteCount, usage.byteCount / 16))
            return try trim(index, to: DiskUsage(count: .max, byteCount: target)).count > 0
        } catch {
            giveUp(error)
            return false
        }
    }

    /// Files first: on a full disk their room is what the bookkeeping needs.
    private func evict(_ records: [IndexRecord], _ index: DiskIndex) throws {
        guard !records.isEmpty else { return }
        // One that was stored again just now is not the one that the index knows.
        let isNew = state.withLock { state in records.map { state.staging.isNew($0.name) } }
        let victims = zip(records, isNew).compactMap { $1 ? nil : $0 }
        try removing {
            for victim in victims { unlink(layout.path(of: victim.name)) }
            try index.remove(records)
        }
        state.withLock { $0.stats.evictions += victims.count }
    }
}
