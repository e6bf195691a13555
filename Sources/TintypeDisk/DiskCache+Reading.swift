import Foundation
public import TintypeCore

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

    /// Whether there is an entry whose time is not over; does not look whether its bytes are whole. Blocks.
    public func contains(_ key: CacheKey) -> Bool {
        hasOwn(key) || inherited.contains { $0.contains(key, at: time.date()) }
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
        if let found = findOwn(key, as: type) { return found }
        if let entry = inheritedEntry(for: key) { return .entry(entry) }
        noteMiss()
        return nil
    }

    private func findOwn<Bytes: EntryBytes>(_ key: CacheKey, as type: Bytes.Type) -> Finding<Bytes>? {
        let (waiting, known) = state.withLock { ($0.staging.waiting(for: key), $0.entries) }
        if let waiting { return found(waiting).map { .entry($0) } }
        guard let entries = known ?? entriesHandle() else { return nil }
        let name = EntryName(key)
        switch EntryFile.read(name, in: entries, for: key, as: type) {
        case .missing: break
        case .damaged:
            removeFile(name)
            state.withLock { $0.stats.damaged += 1 }
        case .file(let header, let bytes, let accessed):
            let now = DiskTime(time.date())
            guard !limits.isOver(header.times, accessed: accessed, at: now) else {
                removeFile(name)
                break
            }
            noteUse(name, header.times, lastRecorded: accessed, at: now)
            return .file(header, bytes)
        }
        return nil
    }

    private func found(_ waiting: DiskStaging.Waiting) -> CacheEntry? {
        guard !waiting.entry.isOver(at: time.date()) else {
            remove(waiting.key)
            return nil
        }
        state.withLock { $0.stats.hits += 1 }
        return waiting.entry
    }

    private func hasOwn(_ key: CacheKey) -> Bool {
        if let waiting = state.withLock({ $0.staging.waiting(for: key) }) {
            return !waiting.entry.isOver(at: time.date())
        }
        guard let entries = entriesHandle(),
            case .sound(let header, let accessed) = EntryFile.readHead(EntryName(key), in: entries)
        else { return false }
        return header.key == key && !limits.isOver(header.times, accessed: accessed, at: DiskTime(time.date()))
    }

    /// The folder of entries; `nil` while there is none.
    func entriesHandle() -> EntriesHandle? {
        if let entries = state.withLock({ $0.entries }) { return entries }
        let entries = EntriesHandle(layout)
        state.withLock { $0.entries = entries }
        return entries
    }

    private func inheritedEntry(for key: CacheKey) -> CacheEntry? {
        for directory in inherited {
            guard let entry = directory.entry(for: key), !entry.isOver(at: time.date()) else { continue }
            state.withLock { $0.stats.hits += 1 }
            return entry
        }
        return nil
    }

    /// What is missing may be so because another has put a new directory in the place of the one that is open: looked
    /// after now and then, since it costs more than a miss.
    private func noteMiss() {
        let misses = state.withLock { state in
            state.stats.misses += 1
            return state.stats.misses
        }
        if misses % Self.missesBetweenLooks == 0 { forgetEntriesHandleIfGone() }
    }

    static let missesBetweenLooks = 256

    /// A use is worth recording when it is the first, or the last that was recorded is a minute old or lies in the future,
    /// since the clock was set back. So what is read again and again costs no more than what is read once.
    private func noteUse(_ name: EntryName, _ times: EntryTimes, lastRecorded: DiskTime, at now: DiskTime) {
        let isWorthIt = times.isUnused(accessed: lastRecorded) || now.distance(to: lastRecorded) >= Self.accessPrecision
        let work = state.withLock { state in
            state.stats.hits += 1
            return isWorthIt ? state.staging.recordAccess(name, at: now) : []
        }
        start(work)
    }

    /// Microseconds.
    private static let accessPrecision: UInt64 = 60_000_000
}

extension CacheEntry {
    /// What a file says.
    init(_ header: EntryHeader, _ data: Data) {
        self.init(
            data: data, format: header.format, metadata: header.metadata, extended: header.extended,
            created: header.times.created.date, expires: header.times.expires?.date)
    }

    /// Whether its own time is over.
    func isOver(at date: Date) -> Bool { expires.map { $0 <= date } ?? false }
}
