import Foundation
import Logging
import TintypeCore

// Background work. One thread at a time writes entries and one at a time writes the index, so that neither waits for
// the other.

extension DiskCache {
    /// Starts the writer or the recorder if the staging area asks for it.
    func start(_ work: DiskStaging.Work) {
        if work.contains(.writing) { WorkQueue.disk.enqueue(at: .low) { self.writeEntries() } }
        if work.contains(.recording) { WorkQueue.disk.enqueue(at: .low) { self.recordChanges() } }
    }

    /// The number of entries that are written between two checks for waiting bookkeeping.
    private static let groupSize = 64

    private func writeEntries() {
        while let entries = state.withLock({ $0.staging.takeEntries(upTo: Self.groupSize) }) {
            let lock = acquireWriterLock()
            lock?.set(isDirty: true)
            let written = entries.map { ($0.key, write($0, lock)) }
            if let lock { insertKeys(of: written, in: lock.folders) }
            start(state.withLock { $0.staging.continueRecording(isAwaited: !$0.flushes.isEmpty) })
            resumeFlushes()
        }
        start(state.withLock { $0.staging.start() })
        resumeFlushes()
    }

    /// Resumes the callers whose changes are now written and recorded.
    func resumeFlushes() {
        let done = state.withLock { state -> [Flush] in
            let done = state.flushes.filter { state.staging.isDone(through: $0.number) }
            if !done.isEmpty { state.flushes.removeAll { state.staging.isDone(through: $0.number) } }
            return done
        }
        for flush in done { flush.promise.fulfill(()) }
    }

    /// - Returns: Where the entry is; `nil` if it was not written.
    private func write(_ pending: DiskStaging.PendingEntry, _ lock: WriterLock?) -> EntryPlace? {
        let isAllowed = state.withLock { [now = time.uptime()] in $0.health.allowsWriting(at: now) }
        guard let lock, isAllowed else {
            refuse(pending)
            return nil
        }
        do throws(DiskFailure) {
            return try write(pending, with: lock)
        } catch {
            // An obstacle in place of one entry does not keep others from being written.
            if error.isObstacle {
                Self.logger.warning("cannot store an entry of the disk cache: \(error.error)")
            } else {
                report(error.error)
            }
            refuse(pending)
            return nil
        }
    }

    private func write(
        _ pending: DiskStaging.PendingEntry, with lock: WriterLock
    ) throws(DiskFailure) -> EntryPlace {
        let name = EntryName(pending.key)
        let now = DiskTime(time.date())
        let entry = completed(pending)
        var header = EntryHeader(entry, for: pending.key, modified: pending.modified, changed: now)
        if isForSegments(entry, EntryHeader.Lengths(of: entry, for: pending.key)) {
            return try append(pending, entry, header, as: name, lock).map { .slot($0) } ?? .file
        }
        insertKey(pending.key)
        try retryAfterEviction(header.fileLength) { () throws(DiskFailure) in
            try retryInNewFolders(lock) { lock throws(DiskFailure) in
                let temporary = makeTemporaryName(lock)
                if let file = entry.file {
                    header = try EntryFile.write(header, from: file, as: name, in: lock.folders, temporary: temporary)
                } else {
                    try EntryFile.write(
                        header, entry.data, as: name, in: lock.folders, temporary: temporary)
                }
            }
        }
        replaceEntryWithFile(of: pending.key, name)
        let record = IndexRecord(name: name, size: header.fileLength, times: header.times, accessed: now)
        let mayStay = state.withLock { state in
            state.stats.writes += 1
            state.health.succeeded()
            return state.staging.finishWriting(pending, record)
        }
        if !mayStay { currentEntriesHandle()?.remove(name) }
        return .file
    }

    /// Writes an entry to a segment.
    private func append(
        _ pending: DiskStaging.PendingEntry, _ entry: CacheEntry, _ header: EntryHeader, as name: EntryName,
        _ lock: WriterLock
    ) throws(DiskFailure) -> SegmentPlace? {
        try retryAfterEviction(header.fileLength) { () throws(DiskFailure) in
            try retryInNewFolders(lock) { lock throws(DiskFailure) in
                let segments = lock.folders.segments
                var written: SegmentPlace?
                try segments.append(
                    header, entry.data, as: name, accessed: header.times.changed, lock.folders.temporary
                ) { place in
                    replaceEntry(pending, as: name, at: place, segments)
                    written = place
                } recover: { segment, slot in
                    recover(segment, slot, segments)
                }
                return written
            }
        }
    }

    /// Runs `body`. If the disk is full, evicts the least recently used entries and runs it once more.
    private func retryAfterEviction<Result>(
        _ byteCount: Int, _ body: () throws(DiskFailure) -> Result
    ) throws(DiskFailure) -> Result {
        do throws(DiskFailure) {
            return try body()
        } catch  where error.isFull && makeRoom(byteCount) {
            return try body()
        }
    }

    /// Runs `body`. If a folder is gone, creates the folders again and runs it once more.
    private func retryInNewFolders<Result>(
        _ lock: WriterLock, _ body: (WriterLock) throws(DiskFailure) -> Result
    ) throws(DiskFailure) -> Result {
        do throws(DiskFailure) {
            return try body(lock)
        } catch {
            guard error.isMissing, let lock = acquireWriterLock() else { throw error }
            lock.set(isDirty: true)
            return try body(lock)
        }
    }

    private func refuse(_ pending: DiskStaging.PendingEntry) {
        state.withLock { state in
            state.staging.discardFailed(pending)
            state.stats.refusals += 1
        }
    }

    /// Returns a temporary name that no other writer uses.
    private func makeTemporaryName(_ lock: WriterLock) -> String {
        let number = state.withLock { state in
            state.temporaryFiles += 1
            return state.temporaryFiles
        }
        return lock.temporaryName(number)
    }

    /// Returns this cache's lock file, and creates a new one if the directory was replaced. Called only on the writing
    /// thread.
    private func acquireWriterLock() -> WriterLock? {
        if let lock = state.withLock({ $0.writerLock }), lock.isCurrent(layout) { return lock }
        do throws(DiskFailure) {
            let lock = try WriterLock(layout)
            use(lock)
            makePresence(in: lock.folders)
            return lock
        } catch {
            report(error.error)
            return nil
        }
    }

    /// Runs `body`, which removes files and records the removals. A process that stops in between leaves its lock file
    /// dirty, so that the next one reconciles the index.
    func performRemoval<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        let currentLock = state.withLock { state in
            state.pendingRemovals += 1
            return state.writerLock
        }
        defer { state.withLock { $0.pendingRemovals -= 1 } }
        (currentLock ?? acquireWriterLockForRemoval())?.set(isDirty: true)
        return try body()
    }

    /// Returns the lock file for a removal. A read-only directory is not an error here, because nothing can be removed
    /// from it either.
    private func acquireWriterLockForRemoval() -> WriterLock? {
        guard layout.exists, let lock = try? WriterLock(layout) else { return nil }
        if state.withLock({ $0.writerLock == nil }) { use(lock) }
        return lock
    }

    /// Uses a lock file, and its segments, so that readers and the writer share mappings.
    private func use(_ lock: WriterLock) {
        // Closed and unmapped after unlocking.
        let former = state.withLock { state in
            let former = (state.writerLock, state.segments)
            state.writerLock = lock
            if let segments = state.entries.flatMap({ lock.folders.segments(in: $0) }) { state.segments = segments }
            return former
        }
        withExtendedLifetime(former) {}
    }

    /// Closes the entries folder if it was removed or replaced, and the table of presence.
    func dropStaleEntriesHandle() {
        guard let entries = state.withLock({ $0.entries }) else { return }
        if entries.isCurrent(layout) { return refreshPresence() }
        // Closed and unmapped after unlocking.
        let former = state.withLock { state in
            defer { (state.entries, state.presence, state.segments) = (nil, nil, nil) }
            return (state.entries, state.presence, state.segments)
        }
        withExtendedLifetime(former) {}
    }

    /// Returns the handle of the entries folder that the path leads to now, for changes that must reach it.
    func currentEntriesHandle() -> EntriesHandle? {
        dropStaleEntriesHandle()
        return entriesHandle()
    }

    /// Records a write problem and logs the first one. ``flush()`` and ``stats`` report it too.
    func report(_ problem: TintypeError) {
        let isFirst = state.withLock { [now = time.uptime()] in $0.health.failed(problem, at: now) }
        if isFirst { Self.logger.warning("cannot write to the disk cache, continuing in memory: \(problem)") }
    }
}
