import Foundation
import Logging
import TintypeCore

// Behind the caller: one thread at a time writes entries, and one at a time the bookkeeping, so that neither waits for
// the other.

extension DiskCache {
    func start(_ work: DiskStaging.Work) {
        if work.contains(.writing) { WorkQueue.disk.enqueue(at: .low) { self.writeEntries() } }
        if work.contains(.recording) { WorkQueue.disk.enqueue(at: .low) { self.recordChanges() } }
    }

    /// Entries between two looks at what else is to be done.
    private static let handful = 64

    private func writeEntries() {
        while let entries = state.withLock({ $0.staging.nextEntries(Self.handful) }) {
            let mark = writerMark()
            mark?.set(isDirty: true)
            for entry in entries { write(entry, mark) }
            forgetEntriesHandleIfGone()
            start(state.withLock { $0.staging.continueRecording(isAwaited: !$0.flushes.isEmpty) })
            finish()
        }
        start(state.withLock { $0.staging.start() })
        finish()
    }

    /// Tells those who wait, when what they wait for is done.
    func finish() {
        let done = state.withLock { state -> [Flush] in
            let done = state.flushes.filter { state.staging.isDone(through: $0.number) }
            if !done.isEmpty { state.flushes.removeAll { state.staging.isDone(through: $0.number) } }
            return done
        }
        for flush in done { flush.continuation.resume() }
    }

    private func write(_ waiting: DiskStaging.Waiting, _ mark: WriterMark?) {
        let isAllowed = state.withLock { [now = time.uptime()] in $0.health.allowsWriting(at: now) }
        guard let mark, isAllowed else { return turnAway(waiting) }
        do throws(DiskFailure) {
            try write(waiting, mark)
        } catch {
            report(error.error)
            turnAway(waiting)
        }
    }

    private func write(_ waiting: DiskStaging.Waiting, _ mark: WriterMark) throws(DiskFailure) {
        let name = EntryName(waiting.key)
        let now = DiskTime(time.date())
        let header = EntryHeader(waiting.entry, for: waiting.key, modified: waiting.modified, changed: now)
        try makingRoom(header.fileLength) { () throws(DiskFailure) in
            let path = newTemporaryPath(mark)
            if let file = waiting.entry.file {
                try EntryFile.write(header, from: file, as: name, in: layout, temporary: path)
            } else {
                try EntryFile.write(header, waiting.entry.data, as: name, in: layout, temporary: path)
            }
        }
        let record = IndexRecord(name: name, size: header.fileLength, times: header.times, accessed: now)
        let mayStay = state.withLock { state in
            state.stats.writes += 1
            state.health.succeeded()
            return state.staging.written(waiting, record)
        }
        if !mayStay { unlink(layout.path(of: name)) }
    }

    /// On a full disk, what was not used for longest makes room; once.
    private func makingRoom(_ byteCount: Int, _ body: () throws(DiskFailure) -> Void) throws(DiskFailure) {
        do throws(DiskFailure) {
            try body()
        } catch  where error.isFull && makeRoom(byteCount) {
            try body()
        }
    }

    private func turnAway(_ waiting: DiskStaging.Waiting) {
        state.withLock { state in
            state.staging.failed(waiting)
            state.stats.turnedAway += 1
        }
    }

    /// A name that no other writer makes.
    private func newTemporaryPath(_ mark: WriterMark) -> String {
        let number = state.withLock { state in
            state.temporaryFiles += 1
            return state.temporaryFiles
        }
        return "\(layout.temporaryFolder)/\(mark.id)-\(number)"
    }

    /// The sign of this writer; a new one when someone has removed the directory. Only the writing thread asks for it.
    private func writerMark() -> WriterMark? {
        if let mark = state.withLock({ $0.mark }), mark.isCurrent { return mark }
        do throws(DiskFailure) {
            let mark = try WriterMark(layout)
            state.withLock { $0.mark = mark }
            return mark
        } catch {
            report(error.error)
            return nil
        }
    }

    /// Removes files and records that. A process that is stopped in between leaves its sign, so that whoever comes next
    /// finds records without a file.
    func removing<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        let standing = state.withLock { state in
            state.removals += 1
            return state.mark
        }
        defer { state.withLock { $0.removals -= 1 } }
        (standing ?? markForRemoval())?.set(isDirty: true)
        return try body()
    }

    /// A directory that may not be written is no one's problem: then nothing can be removed either.
    private func markForRemoval() -> WriterMark? {
        guard layout.exists, let mark = try? WriterMark(layout) else { return nil }
        state.withLock { state in
            if state.mark == nil { state.mark = mark }
        }
        return mark
    }

    /// Someone may have removed the folder of entries, or moved it away, and a new one is in its place.
    func forgetEntriesHandleIfGone() {
        guard let entries = state.withLock({ $0.entries }), !entries.isCurrent(layout) else { return }
        state.withLock { $0.entries = nil }
    }

    /// Says it once in the log; ``flush()`` and ``stats`` tell it, too.
    func report(_ problem: TintypeError) {
        let isFirst = state.withLock { [now = time.uptime()] in $0.health.failed(problem, at: now) }
        if isFirst { Self.logger.warning("the disk cache goes on as memory only: \(problem)") }
    }
}
