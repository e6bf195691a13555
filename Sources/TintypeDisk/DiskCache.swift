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
public final class DiskCache: DataCache {
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
        var temporaryFiles = 0
        var flushes: [CheckedContinuation<Void, Never>] = []
    }

    static let logger = Logger(label: "tintype.disk")

    /// - Parameters:
    ///   - directory: `nil` is `tintype` in the user's cache directory (XDG base directory specification).
    ///   - inherited: directories that are only read, such as one that the program brings with it.
    public convenience init(
        directory: URL? = nil, limits: DiskLimits = DiskLimits(), inherited: [InheritedDirectory] = [],
        time: TimeSource = .system
    ) {
        self.init(CacheLayout(directory), limits, inherited, time, waitingBytes: 256 << 20)
    }

    /// - Parameter waitingBytes: of entries that may wait to be written.
    init(
        _ layout: CacheLayout, _ limits: DiskLimits, _ inherited: [InheritedDirectory], _ time: TimeSource,
        waitingBytes: Int
    ) {
        self.layout = layout
        directory = URL(filePath: layout.root, directoryHint: .isDirectory)
        self.limits = limits
        self.inherited = inherited
        self.time = time
        state = Locked(State(staging: DiskStaging(capacity: waitingBytes)))
    }
}

// MARK: - Reading

extension DiskCache {
    /// Blocks. Opens one file, whether or not there is an entry.
    public func entry(for key: CacheKey) -> CacheEntry? {
        switch find(key, as: Data.self) {
        // A slice: the payload is not copied.
        case .file(let header, let bytes): CacheEntry(header, bytes[header.length...])
        case .entry(let entry): entry
        case nil: nil
        }
    }

    /// Whether there is an entry; does not look whether it is whole. Blocks.
    public func contains(_ key: CacheKey) -> Bool {
        state.withLock { $0.staging.waiting(for: key) != nil } || entriesHandle()?.contains(EntryName(key)) ?? false
            || inherited.contains { $0.contains(key) }
    }

    /// The file of a key's entry, whether or not it exists.
    public func path(for key: CacheKey) -> String { layout.path(of: EntryName(key)) }

    /// What it has done so far.
    public var stats: DiskStats {
        state.withLock { state in
            var stats = state.stats
            stats.problem = state.health.problem
            return stats
        }
    }

    enum Finding<Bytes> {
        /// A file of this cache's own.
        case file(EntryHeader, Bytes)
        /// One that waits to be written, or comes from another directory.
        case entry(CacheEntry)
    }

    /// What there is under a key, whose time is not over. Counts as a use.
    func find<Bytes: EntryBytes>(_ key: CacheKey, as type: Bytes.Type) -> Finding<Bytes>? {
        let (waiting, known) = state.withLock { ($0.staging.waiting(for: key), $0.entries) }
        if let waiting { return isFresh(waiting.entry.expires, key) ? .entry(waiting.entry) : nil }
        guard let entries = known ?? entriesHandle() else { return inheritedEntry(for: key).map { .entry($0) } }
        let name = EntryName(key)
        switch EntryFile.read(name, in: entries, for: key, as: type) {
        case .missing: break
        case .damaged:
            removeFile(name)
            state.withLock { $0.stats.damaged += 1 }
        case .file(let header, let bytes, let accessed):
            guard isFresh(header.times.expires?.date, key) else { return nil }
            noteUse(name, lastRecorded: accessed)
            return .file(header, bytes)
        }
        return inheritedEntry(for: key).map { .entry($0) }
    }

    /// The folder of entries; `nil` while there is none.
    func entriesHandle() -> EntriesHandle? {
        if let entries = state.withLock({ $0.entries }) { return entries }
        let entries = EntriesHandle(layout)
        state.withLock { $0.entries = entries }
        return entries
    }

    /// Whether an entry's own time is not over. If it is, it goes.
    private func isFresh(_ expires: Date?, _ key: CacheKey) -> Bool {
        guard let expires, expires <= time.date() else { return true }
        remove(key)
        state.withLock { $0.stats.misses += 1 }
        return false
    }

    private func inheritedEntry(for key: CacheKey) -> CacheEntry? {
        for directory in inherited {
            guard let entry = directory.entry(for: key) else { continue }
            state.withLock { $0.stats.hits += 1 }
            return entry
        }
        state.withLock { $0.stats.misses += 1 }
        return nil
    }

    /// A use is worth recording when the last that was recorded is a minute old, or lies in the future, since the clock
    /// was set back. So what is read again and again costs no more than what is read once.
    private func noteUse(_ name: EntryName, lastRecorded: DiskTime) {
        let now = DiskTime(time.date())
        let isWorthIt = now.distance(to: lastRecorded) >= Self.accessPrecision
        let work = state.withLock { state in
            state.stats.hits += 1
            return isWorthIt ? state.staging.recordAccess(name, at: now) : []
        }
        start(work)
    }

    /// Microseconds.
    private static let accessPrecision: UInt64 = 60_000_000
}

// MARK: - Changing

extension DiskCache {
    public func store(_ entry: CacheEntry, for key: CacheKey) {
        store(entry, for: key, modified: DiskTime(time.date()))
    }

    /// Blocks.
    public func remove(_ key: CacheKey) {
        let name = EntryName(key)
        let work = state.withLock { $0.staging.recordRemoval(key, name) }
        unlink(layout.path(of: name))
        start(work)
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

    /// Waits until nothing is left to write; what could not be written is for ``flush()`` to tell.
    func drained() async {
        await withCheckedContinuation { continuation in
            let (work, isIdle) = state.withLock { state in
                let work = state.staging.start()
                guard !state.staging.isIdle else { return (work, true) }
                state.flushes.append(continuation)
                return (work, false)
            }
            start(work)
            if isIdle { continuation.resume() }
        }
    }

    private func standing(_ key: CacheKey) -> (CacheEntry, modified: DiskTime)? {
        if let waiting = state.withLock({ $0.staging.waiting(for: key) }) { return (waiting.entry, waiting.modified) }
        guard let entries = entriesHandle(),
            case .file(let header, let bytes, _) = EntryFile.read(EntryName(key), in: entries, for: key)
        else { return nil }
        return (CacheEntry(header, bytes[header.length...]), header.times.modified)
    }

    private func store(_ entry: CacheEntry, for key: CacheKey, modified: DiskTime) {
        let now = time.uptime()
        let work = state.withLock { state -> DiskStaging.Work in
            // What is larger than all that may be kept would only drive out everything else.
            if entry.data.count <= limits.byteCount, state.health.allowsWriting(at: now),
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
    private func removeFile(_ name: EntryName) {
        unlink(layout.path(of: name))
        let work = state.withLock { state in
            state.staging.recordRemoval(name)
        }
        start(work)
    }
}

extension CacheEntry {
    /// What a file says.
    init(_ header: EntryHeader, _ data: Data) {
        self.init(
            data: data, format: header.format, metadata: header.metadata, extended: header.extended,
            created: header.times.created.date, expires: header.times.expires?.date)
    }
}
