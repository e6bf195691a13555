public import Foundation
import Logging
public import TintypeCore

/// Encoded pictures in files, within limits of size and age.
///
/// One file an entry, named by the hash of its key and describing itself; it is written under a temporary name and
/// renamed, and every byte is verified on read. So a reader sees a whole entry or none, whatever else happens, and
/// several processes may share a directory. What limits need is kept in SQLite, off the way of reads.
///
/// Nothing is touched on disk until the first use, and no call but those that say so blocks.
public final class DiskCache: DataCache {
    /// The directory, as named by the user.
    public let directory: URL
    public let limits: DiskLimits

    let layout: CacheLayout
    private let time: TimeSource
    private let state: Locked<State>

    private struct State: Sendable {
        var staging = DiskStaging(capacity: 256 << 20)
        var index: DiskIndex?
        /// Why something could not be written, since it was last asked for.
        var problem: TintypeError?
        var hasLoggedProblem = false
        var flushes: [CheckedContinuation<Void, Never>] = []
    }

    private static let logger = Logger(label: "tintype.disk")
    /// Entries that are written between two looks at the limits.
    private static let batchSize = 64
    /// Files that one look at the limits removes between two looks at the total.
    private static let evictionStep = 32

    /// - Parameter directory: `nil` is `tintype` in the user's cache directory (XDG base directory specification).
    public init(directory: URL? = nil, limits: DiskLimits = DiskLimits(), time: TimeSource = .system) {
        layout =
            directory.map { CacheLayout(root: $0.standardizedFileURL.path(percentEncoded: false).withoutSlash) }
            ?? .standard
        self.directory = URL(filePath: layout.root, directoryHint: .isDirectory)
        self.limits = limits
        self.time = time
        state = Locked(State())
    }
}

// MARK: - Entries

extension DiskCache {
    /// Blocks.
    public func entry(for key: CacheKey) -> CacheEntry? {
        if let waiting = state.withLock({ $0.staging.entry(for: key) }) { return waiting }
        let name = EntryName(key)
        switch EntryFile.read(layout.path(of: name), for: key) {
        case .missing: return nil
        case .damaged:
            remove(key)
            return nil
        case .entry(let entry, _):
            let now = time.date()
            drainIfNeeded(state.withLock { $0.staging.recordAccess(name, at: now) })
            return entry
        }
    }

    public func store(_ entry: CacheEntry, for key: CacheKey) {
        drainIfNeeded(state.withLock { $0.staging.add(entry, for: key) })
    }

    /// Blocks.
    public func remove(_ key: CacheKey) {
        let name = EntryName(key)
        let starts = state.withLock { $0.staging.recordRemoval(key, name) }
        unlink(layout.path(of: name))
        drainIfNeeded(starts)
    }

    public func flush() async throws(TintypeError) {
        await drained()
        let problem = state.withLock { state in
            defer { state.problem = nil }
            return state.problem
        }
        if let problem { throw problem }
    }

    /// Waits until nothing is left to write; what could not be written is for ``flush()`` to tell.
    func drained() async {
        await withCheckedContinuation { continuation in
            let starts = state.withLock { state in
                state.flushes.append(continuation)
                return state.staging.startDraining()
            }
            drainIfNeeded(starts)
        }
    }

    /// The file of a key's entry, whether or not it exists.
    public func path(for key: CacheKey) -> String { layout.path(of: EntryName(key)) }
}

// MARK: - Writing behind the caller

extension DiskCache {
    private func drainIfNeeded(_ starts: Bool) {
        if starts { WorkQueue.disk.enqueue(at: .low) { self.drain() } }
    }

    private func drain() {
        while case .write(let entries, let previous) = nextStep() {
            var batch = previous
            for (key, entry, number) in entries {
                let record = write(entry, for: key)
                if state.withLock({ $0.staging.written(key, number) }) {
                    record.map { batch.added.append($0) }
                } else {
                    unlink(path(for: key))
                }
            }
            record(batch)
        }
    }

    private enum Step: Sendable {
        case write([(key: CacheKey, entry: CacheEntry, number: Int)], IndexBatch)
        case done
    }

    /// What to write next. When nothing is left, those who wait for that are told: whoever comes later begins anew.
    private func nextStep() -> Step {
        let (step, flushes) = state.withLock { state -> (Step, [CheckedContinuation<Void, Never>]) in
            if let (entries, batch) = state.staging.next(Self.batchSize) { return (.write(entries, batch), []) }
            defer { state.flushes = [] }
            return (.done, state.flushes)
        }
        for flush in flushes { flush.resume() }
        return step
    }

    private func write(_ entry: CacheEntry, for key: CacheKey) -> IndexRecord? {
        do throws(TintypeError) {
            let size = try EntryFile.write(entry, for: key, in: layout)
            return IndexRecord(name: EntryName(key), size: size, created: entry.created, accessed: time.date())
        } catch {
            report(error)
            return nil
        }
    }

    /// Brings the bookkeeping up to date, then keeps the limits. A cache that is only read makes no bookkeeping.
    private func record(_ batch: IndexBatch) {
        guard !batch.isEmpty, !batch.added.isEmpty || layout.exists else { return }
        do {
            let index = try openIndex()
            try index.apply(batch)
            if !batch.added.isEmpty { try enforceLimits(index) }
        } catch {
            forgetIndex(isDamaged: DiskIndex.isDamage(error))
            // That uses were not recorded is no one's problem: the directory may be meant to be read only.
            if !batch.added.isEmpty { report(indexProblem(error)) }
        }
    }

    private func enforceLimits(_ index: DiskIndex) throws {
        if let age = limits.age {
            let date = time.date().addingTimeInterval(-age.inSeconds)
            try evict(try index.oldest(Self.evictionStep, accessedBefore: date), index)
        }
        try trim(index, to: limits.byteCount)
    }

    /// Removes what was not used for longest until no more than `byteCount` is left; returns what was removed.
    @discardableResult
    func trim(_ index: DiskIndex, to byteCount: Int) throws -> DiskUsage {
        var removed = DiskUsage(count: 0, byteCount: 0)
        var excess = try index.usage.byteCount - byteCount
        while excess > 0 {
            let oldest = try index.oldest(Self.evictionStep)
            guard !oldest.isEmpty else { break }
            var victims: [IndexRecord] = []
            for record in oldest where excess > 0 {
                victims.append(record)
                excess -= record.size
            }
            try evict(victims, index)
            removed.count += victims.count
            removed.byteCount += victims.reduce(0) { $0 + $1.size }
        }
        return removed
    }

    private func evict(_ records: [IndexRecord], _ index: DiskIndex) throws {
        for record in records { unlink(layout.path(of: record.name)) }
        try index.apply(IndexBatch(removed: records.map(\.name)))
    }

    func openIndex() throws(TintypeError) -> DiskIndex {
        if let index = state.withLock({ $0.index }) { return index }
        layout.removeAbandonedFiles(before: time.date().addingTimeInterval(-3600))
        let index = try DiskIndex(layout)
        state.withLock { $0.index = index }
        return index
    }

    /// The next use opens it anew, and repairs what can be repaired.
    func forgetIndex(isDamaged: Bool) {
        state.withLock { $0.index = nil }
        if isDamaged { DiskIndex.delete(layout) }
    }

    func indexProblem(_ error: any Error) -> TintypeError {
        error as? TintypeError
            ?? TintypeError(
                .unwritable, stage: .store, "the cache's index cannot be used: \(error)", subject: layout.root,
                underlying: error)
    }

    private func report(_ problem: TintypeError) {
        let isFirst = state.withLock { state in
            state.problem = state.problem ?? problem
            defer { state.hasLoggedProblem = true }
            return !state.hasLoggedProblem
        }
        if isFirst { Self.logger.warning("the disk cache goes on without writing: \(problem)") }
    }
}

extension Duration {
    fileprivate var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}

extension String {
    fileprivate var withoutSlash: String {
        count > 1 && hasSuffix("/") ? String(dropLast()) : self
    }
}
