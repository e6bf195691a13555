public import Foundation
import Logging
public import TintypeCore

/// A cache of encoded images in files, with limits on size, count and age.
///
/// An entry of up to 16 KB is a record in a mapped file that it shares with others; a larger one is a file, named by
/// the hash of its key, written under a temporary name and renamed. Each describes itself, and every byte is verified
/// on each read. A reader therefore sees a complete entry or none, and several processes can share a directory. The
/// bookkeeping for the limits is in SQLite; reads never wait for it.
///
/// The directory must belong to this user or the superuser, and no other user may write to it. Otherwise another user
/// could supply images, or have files removed that are named like entries. A cache in any other directory reads and
/// writes nothing, and reports why. Symbolic links in the directory are not followed. Only files of the cache are
/// removed.
///
/// Creating a cache touches no file, and its first use opens the directory. You can call every method from any thread.
/// Do not call those that are marked "Blocks the calling thread" in a task, whose thread others need; a pipeline has
/// threads for them. If the disk is full, read-only or gone, the cache serves what it can, logs one warning, and
/// reports the problem in ``stats``.
public final class DiskCache: DataCaching {
    /// The directory of the cache, as passed to the initializer.
    public let directory: URL
    /// The limits on size, count and age.
    package let limits: DiskLimits
    /// The directories that are searched, in this order, for entries that ``directory`` lacks. They are never written.
    public let inherited: [InheritedDirectory]
    /// The effect of a hit in ``inherited``.
    package let inheritedUse: InheritedUse

    let layout: CacheLayout
    /// The location of the directory, for other components that store files in it.
    package var location: FolderLocation { layout.location }
    let time: TimeSource
    /// Whether small entries are stored in segments.
    let usesSegments: Bool
    let state: Locked<State>

    struct State: Sendable {
        var staging: DiskStaging
        var health = WriteHealth()
        /// The misses are computed from the lookups.
        var stats = DiskStats()
        /// The number of lookups that have begun.
        var lookups = 0
        var entries: EntriesHandle?
        /// The table of presence beside `entries`.
        var presence: PresenceTable?
        /// The segments beside `entries`.
        var segments: SegmentStore?
        /// Whether a job looks up the entries for the table of presence.
        var isFillingPresence = false
        /// The segments whose entries that job has not looked up for a table; `nil` before it looks for segments.
        var segmentsToFill: (table: PresenceTable, segments: [Segment])?
        var index: DiskIndex?
        /// Whether changes were lost before they reached the index.
        var isIndexBehind = false
        var writerLock: WriterLock?
        /// When segments were last searched for entries that are expired or too old.
        var lastSweep: DiskTime?
        /// The number of removals in progress.
        var pendingRemovals = 0
        var temporaryFiles = 0
        var flushes: [Flush] = []

        /// Whether the index contains every change or is marked as unreconciled, so that a crash from here on loses
        /// nothing.
        var isSettled: Bool { staging.isIdle && pendingRemovals == 0 && !isIndexBehind }
    }

    /// A caller that waits until everything up to a number is written and recorded.
    struct Flush: Sendable {
        let number: Int
        let promise: SharedPromise<Void>
    }

    static let logger = Logger(label: "tintype.disk")

    /// Creates a cache without touching the disk.
    ///
    /// - Parameters:
    ///   - directory: The directory of the cache. `nil` uses `tintype` in the user's cache directory (XDG base
    ///     directory specification).
    ///   - limits: The limits on size, count and age.
    ///   - inherited: Read-only directories that are searched after `directory`, such as one bundled with the program.
    ///   - inheritedUse: The effect of a hit in one of them. By default, it is read there each time.
    ///   - time: The clock for ages and expiry dates.
    public convenience init(
        directory: URL? = nil, limits: DiskLimits = DiskLimits(), inherited: [InheritedDirectory] = [],
        inheritedUse: InheritedUse = .read, time: TimeSource = .system
    ) {
        self.init(CacheLayout(directory), limits, inherited, inheritedUse, time, StagingBudget(memory: 256 << 20))
    }

    /// - Parameters:
    ///   - budget: The bound on entries that wait to be written.
    ///   - usesSegments: Whether small entries are stored in segments. If not, each has a file of its own.
    init(
        _ layout: CacheLayout, _ limits: DiskLimits, _ inherited: [InheritedDirectory], _ inheritedUse: InheritedUse,
        _ time: TimeSource, _ budget: StagingBudget, usesSegments: Bool = true
    ) {
        self.layout = layout
        directory = URL(filePath: layout.root, directoryHint: .isDirectory)
        self.limits = limits
        self.inherited = inherited
        self.inheritedUse = inheritedUse
        self.time = time
        self.usesSegments = usesSegments
        state = Locked(State(staging: DiskStaging(budget)))
    }
}

// MARK: - Changing

extension DiskCache {
    /// Stores an entry and returns at once; a background thread writes the file.
    ///
    /// Reads return the entry from this call on. The cache refuses an entry that is larger than `limits` allow, that
    /// exceeds the memory for pending writes (256 MB), or that arrives within 10 seconds of a failed write.
    ///
    /// An entry without extended data keeps that of the entry that it replaces, so that loading the bytes again does
    /// not lose it. `amend(_:_:)` changes or removes it.
    public func store(_ entry: CacheEntry, for key: CacheKey) {
        store(entry, for: key, modified: DiskTime(time.date()), keepsExtended: true)
    }

    /// Removes the entry of a key. Blocks the calling thread.
    public func remove(_ key: CacheKey) {
        let name = EntryName(key)
        removeFile(name) { $0.recordRemoval(key, name) }
        // After the removal of a waiting entry: one that is being written either finds that it may not stay, or is in
        // the table.
        removeRecords(of: key)
    }

    /// Changes the extended data, metadata or expiry date of an entry. Blocks the calling thread.
    ///
    /// - Parameters:
    ///   - key: The key of the entry.
    ///   - change: Receives the current entry; the result replaces it.
    /// - Returns: Whether there was an entry.
    @discardableResult
    package func amend(_ key: CacheKey, _ change: (inout CacheEntry) -> Void) -> Bool {
        guard let (current, modified) = currentEntry(for: key) else { return false }
        var entry = current
        change(&entry)
        store(
            entry, for: key, modified: entry.data == current.data ? modified : DiskTime(time.date()),
            keepsExtended: false)
        return true
    }

    /// Waits until all earlier changes are written to disk. Changes made during the call do not prolong it.
    ///
    /// - Throws: The first write error since the last call, usually `TintypeError.Code.unwritable`.
    public func flush() async throws(TintypeError) {
        await drain()
        if let problem = state.withLock({ $0.health.takeProblem() }) { throw problem }
    }

    /// Waits until all earlier stores, removals and uses are written and recorded. Write errors are left for
    /// ``flush()``.
    func drain() async {
        let promise = SharedPromise<Void>()
        let (work, isDone) = state.withLock { state in
            let number = state.staging.lastNumber
            let work = state.staging.start()
            let isDone = state.staging.isDone(through: number)
            if !isDone { state.flushes.append(Flush(number: number, promise: promise)) }
            return (work, isDone)
        }
        start(work)
        // A flush does not respond to cancellation: the changes would be written all the same.
        if !isDone { await promise.wait { nil } }
    }

    private func currentEntry(for key: CacheKey) -> (CacheEntry, modified: DiskTime)? {
        let now = time.date()
        if let pending = state.withLock({ $0.staging.pendingEntry(for: key) }) {
            return pending.entry.isExpired(at: now) ? nil : (completed(pending), pending.modified)
        }
        guard let entries = entriesHandle(),
            case .file(let header, let bytes, let accessed) = read(key, probe(key), in: entries, as: Data.self).result,
            !limits.isExpired(header.times, accessed: accessed, at: DiskTime(now))
        else { return nil }
        return (CacheEntry(header, bytes[header.length...]), header.times.modified)
    }

    private func store(_ entry: CacheEntry, for key: CacheKey, modified: DiskTime, keepsExtended: Bool) {
        let now = time.uptime()
        let lengths = EntryHeader.Lengths(of: entry, for: key)
        let isSmall = usesSegments && SegmentLayout.holds(lengths)
        let size = isSmall ? SegmentLayout.allocatedSize(lengths.file) : DiskUsage.allocatedSize(lengths.file)
        let work = state.withLock { state -> DiskStaging.Work in
            // An entry above the limit would only evict everything else.
            if lengths.areWithinLimits, size <= limits.byteCount,
                state.health.allowsWriting(at: now),
                let work = state.staging.add(entry, for: key, modified: modified, keepsExtended: keepsExtended)
            {
                return work
            }
            state.stats.refusals += 1
            return []
        }
        start(work)
    }

    /// Removes the file only. A pending entry for the same name is not affected.
    func removeFile(_ name: EntryName) {
        removeFile(name) { $0.recordRemoval(name) }
    }

    /// - Parameter record: Runs before the file is removed. An entry that is being written then either finds that it
    ///   may not stay, or already has its final name. In the opposite order it could get its name in between, and the
    ///   index would never learn of it.
    private func removeFile(_ name: EntryName, _ record: @Sendable (inout DiskStaging) -> DiskStaging.Work) {
        let work = performRemoval {
            let work = state.withLock { record(&$0.staging) }
            let isRemoved = currentEntriesHandle()?.remove(name) ?? true
            if !isRemoved { state.withLock { $0.staging.withdrawRemoval(name) } }
            return work
        }
        start(work)
    }
}

// Asynchronous overloads of the calls that block. They run on a disk thread.

extension DiskCache {
    /// Returns the entry of a key, with every byte verified, or `nil` on a miss.
    ///
    /// - Throws: `TintypeError.Code.cancelled` if the task is cancelled before a disk thread starts the read.
    package func entry(for key: CacheKey) async throws(TintypeError) -> CacheEntry? {
        try await onDisk { () throws(TintypeError) in self.entry(for: key) }
    }

    /// Returns whether there is an unexpired entry for a key. Does not verify the entry's bytes.
    ///
    /// - Throws: `TintypeError.Code.cancelled` if the task is cancelled before a disk thread starts the check.
    package func contains(_ key: CacheKey) async throws(TintypeError) -> Bool {
        try await onDisk { () throws(TintypeError) in self.contains(key) }
    }

    /// Removes the entry of a key.
    ///
    /// - Throws: `TintypeError.Code.cancelled` if the task is cancelled before a disk thread starts the removal.
    package func remove(_ key: CacheKey) async throws(TintypeError) {
        try await onDisk { () throws(TintypeError) in self.remove(key) }
    }

    /// Changes the extended data, metadata or expiry date of an entry.
    ///
    /// - Parameters:
    ///   - key: The key of the entry.
    ///   - change: Receives the current entry on a disk thread; the result replaces it.
    /// - Returns: Whether there was an entry.
    /// - Throws: `TintypeError.Code.cancelled` if the task is cancelled before a disk thread starts the change.
    @discardableResult
    package func amend(
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
