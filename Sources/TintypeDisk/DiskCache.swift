public import Foundation
import Logging
public import TintypeCore

/// Encoded pictures in files, within limits of size, count and age.
///
/// One file an entry, named by the hash of its key and describing itself; it is written under a temporary name and
/// renamed, and every byte is verified on read. So a reader sees a whole entry or none, whatever else happens, and
/// several processes may share a directory. What limits need is kept in SQLite, off the way of reads.
///
/// Nothing is touched on disk until the first use. Calls that block say so, and have a twin that is `async`. When the
/// disk is full, may not be written, or goes away, the cache serves what it can and says so once in the log and in
/// ``stats``.
public final class DiskCache: DataCaching {
    /// The directory, as named by the user.
    public let directory: URL
    public let limits: DiskLimits
    /// Asked in order for what ``directory`` does not have; never written.
    public let inherited: [InheritedDirectory]

    let layout: CacheLayout
    let time: TimeSource
    let state: Locked<State>

    struct State: Sendable {
        var staging: DiskStaging
        var health = WriteHealth()
        var stats = DiskStats()
        var entries: EntriesHandle?
        var index: DiskIndex?
        /// Whether changes got lost on their way to the index.
        var isIndexBehind = false
        var mark: WriterMark?
        /// Removals that are not recorded yet.
        var removals = 0
        var temporaryFiles = 0
        var flushes: [Flush] = []

        /// Whether the index knows, or has noted that it does not, of everything that was done.
        var isSettled: Bool { staging.isIdle && removals == 0 && !isIndexBehind }
    }

    /// One who waits until what came in up to a number is written and recorded.
    struct Flush: Sendable {
        let number: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    static let logger = Logger(label: "tintype.disk")

    /// - Parameters:
    ///   - directory: `nil` is `tintype` in the user's cache directory (XDG base directory specification).
    ///   - inherited: directories that are only read, such as one that the program brings with it.
    public convenience init(
        directory: URL? = nil, limits: DiskLimits = DiskLimits(), inherited: [InheritedDirectory] = [],
        time: TimeSource = .system
    ) {
        self.init(CacheLayout(directory), limits, inherited, time, WaitingRoom(memory: 256 << 20))
    }

    /// - Parameter room: for entries that wait to be written.
    init(
        _ layout: CacheLayout, _ limits: DiskLimits, _ inherited: [InheritedDirectory], _ time: TimeSource,
        _ room: WaitingRoom
    ) {
        self.layout = layout
        directory = URL(filePath: layout.root, directoryHint: .isDirectory)
        self.limits = limits
        self.inherited = inherited
        self.time = time
        state = Locked(State(staging: DiskStaging(room)))
    }
}

// MARK: - Changing

extension DiskCache {
    public func store(_ entry: CacheEntry, for key: CacheKey) {
        store(entry, for: key, modified: DiskTime(time.date()))
    }

    /// Blocks.
    public func remove(_ key: CacheKey) {
        let name = EntryName(key)
        removeFile(name) { $0.recordRemoval(key, name) }
    }

    /// Changes what is kept beside the bytes of an entry: its extended data, metadata or expiry. Blocks.
    ///
    /// - Returns: whether there was an entry.
    @discardableResult
    public func amend(_ key: CacheKey, _ change: (inout CacheEntry) -> Void) -> Bool {
        guard let (standing, modified) = standing(key) else { return false }
        var entry = standing
        change(&entry)
        store(entry, for: key, modified: entry.data == standing.data ? modified : DiskTime(time.date()))
        return true
    }

    public func flush() async throws(TintypeError) {
        await drained()
        if let problem = state.withLock({ $0.health.takeProblem() }) { throw problem }
    }

    /// Waits until what was stored, removed or used before is written, whatever comes meanwhile; what could not be
    /// written is for ``flush()`` to tell.
    func drained() async {
        await withCheckedContinuation { continuation in
            let (work, isDone) = state.withLock { state in
                let number = state.staging.lastNumber
                let work = state.staging.start()
                guard !state.staging.isDone(through: number) else { return (work, true) }
                state.flushes.append(Flush(number: number, continuation: continuation))
                return (work, false)
            }
            start(work)
            if isDone { continuation.resume() }
        }
    }

    private func standing(_ key: CacheKey) -> (CacheEntry, modified: DiskTime)? {
        let now = time.date()
        if let waiting = state.withLock({ $0.staging.waiting(for: key) }) {
            return waiting.entry.isOver(at: now) ? nil : (waiting.entry, waiting.modified)
        }
        guard let entries = entriesHandle(),
            case .file(let header, let bytes, let accessed) = EntryFile.read(EntryName(key), in: entries, for: key),
            !limits.isOver(header.times, accessed: accessed, at: DiskTime(now))
        else { return nil }
        return (CacheEntry(header, bytes[header.length...]), header.times.modified)
    }

    private func store(_ entry: CacheEntry, for key: CacheKey, modified: DiskTime) {
        let now = time.uptime()
        let work = state.withLock { state -> DiskStaging.Work in
            // What is larger than all that may be kept would only drive out everything else.
            if entry.data.count <= limits.byteCount, EntryHeader.hasRoom(for: entry, key),
                state.health.allowsWriting(at: now),
                let work = state.staging.add(entry, for: key, modified: modified)
            {
                return work
            }
            state.stats.turnedAway += 1
            return []
        }
        start(work)
    }

    /// Removes the file alone; an entry that waits to take its place is not touched.
    func removeFile(_ name: EntryName) {
        removeFile(name) { $0.recordRemoval(name) }
    }

    /// - Parameter record: comes before the file goes: an entry that is being written then finds that it may not stay, or
    ///   has its name by now. The other way round it could get its name in between, and be known to no one.
    private func removeFile(_ name: EntryName, _ record: @Sendable (inout DiskStaging) -> DiskStaging.Work) {
        let work = removing {
            let work = state.withLock { record(&$0.staging) }
            unlink(layout.path(of: name))
            return work
        }
        start(work)
    }
}

// The calls that block, for those who may not: on a thread for disks.

extension DiskCache {
    /// The entry of a key, verified; `nil` is a miss.
    ///
    /// - Throws: ``TintypeError/Code/cancelled`` when the task was cancelled before its turn.
    public func entry(for key: CacheKey) async throws(TintypeError) -> CacheEntry? {
        try await onDisk { () throws(TintypeError) in self.entry(for: key) }
    }

    /// Whether there is an entry; does not look whether it is whole.
    public func contains(_ key: CacheKey) async throws(TintypeError) -> Bool {
        try await onDisk { () throws(TintypeError) in self.contains(key) }
    }

    /// Forgets an entry.
    public func remove(_ key: CacheKey) async throws(TintypeError) {
        try await onDisk { () throws(TintypeError) in self.remove(key) }
    }

    /// Changes what is kept beside the bytes of an entry: its extended data, metadata or expiry.
    ///
    /// - Returns: whether there was an entry.
    @discardableResult
    public func amend(
        _ key: CacheKey, _ change: @escaping @Sendable (inout CacheEntry) -> Void
    ) async throws(TintypeError) -> Bool {
        try await onDisk { () throws(TintypeError) in self.amend(key, change) }
    }

    func onDisk<Value: Sendable>(
        _ body: @escaping @Sendable () throws(TintypeError) -> Value
    ) async throws(TintypeError) -> Value {
        try await WorkQueue.disk.run(for: JobContext(priority: .normal), body)
    }
}
