import Foundation
public import TintypeCore

extension DiskCache {
    /// Returns the entry of a key, with every byte verified, or `nil` on a miss. Blocks the calling thread.
    ///
    /// An entry of more than 16 KB is read from its file, a smaller one from a mapping; a miss opens practically never
    /// a file. A hit counts as a use; a damaged or expired entry is removed. On a miss the ``inherited`` directories
    /// are searched.
    public func entry(for key: CacheKey) -> CacheEntry? {
        switch lookUp(key, as: Data.self) {
        // A slice does not copy the payload.
        case .file(let header, let bytes): CacheEntry(header, bytes[header.length...])
        case .entry(let entry): entry
        case nil: nil
        }
    }

    /// Returns whether there is an unexpired entry for a key. Does not verify the bytes of an entry of more than 16 KB.
    /// Blocks the calling thread.
    public func contains(_ key: CacheKey) -> Bool {
        containsOwn(key) || inherited.contains { $0.entries.contains(key, at: time.date()) }
    }

    /// Returns the path of the file that contains a key's entry. If there is no entry, returns the path that a file of
    /// its own would have. Blocks the calling thread.
    public func path(for key: CacheKey) -> String {
        let probe = probe(key)
        if let place = probe.slot, let segments = probe.segments { return segments.path(of: place.segment) }
        return layout.path(of: EntryName(key))
    }

    /// The counters of this cache since it was created, and its current write problem.
    public var stats: DiskStats {
        state.withLock { state in
            var stats = state.stats
            stats.misses = state.lookups - stats.hits
            stats.problem = state.health.problem
            return stats
        }
    }

    /// The result of a lookup: a file with verified bytes, or an entry in memory.
    enum LookupResult<Bytes> {
        /// A file of this cache.
        case file(EntryHeader, Bytes)
        /// An entry that waits to be written, or that comes from an inherited directory.
        case entry(CacheEntry)
    }

    /// Returns the unexpired entry of a key and records the use.
    func lookUp<Bytes: EntryBytes>(_ key: CacheKey, as type: Bytes.Type) -> LookupResult<Bytes>? {
        if let result = lookUpOwn(key, as: type) { return result }
        return inherited.isEmpty ? nil : inheritedEntry(for: key).map { .entry($0) }
    }

    private func lookUpOwn<Bytes: EntryBytes>(_ key: CacheKey, as type: Bytes.Type) -> LookupResult<Bytes>? {
        // A lookup is counted here, so that a miss takes the lock only once.
        let (number, isPending, presence) = state.withLock { state in
            state.lookups += 1
            return (state.lookups, state.staging.hasPendingEntry(for: key), state.presence)
        }
        if number % Self.lookupsBetweenChecks == 0 { check(after: number) }
        // It may have been written in between.
        if isPending, let pending = state.withLock({ $0.staging.pendingEntry(for: key) }) {
            return readPending(pending).map { .entry($0) }
        }
        let answer = presence?.answer(for: key) ?? .unknown
        if case .absent = answer { return nil }
        let probe =
            if case .possible = answer { state.withLock { Probe($0, presence, answer) } } else { self.probe(key) }
        guard let entries = entriesHandle() else { return nil }
        let found = read(key, probe, in: entries, as: type)
        switch found.result {
        case .absent: found.probe.table?.remove(found.probe.answer)
        case .unreadable: break
        case .damaged:
            discard(key, at: found.place)
            state.withLock { $0.stats.damaged += 1 }
        case .file(let header, let bytes, let accessed):
            let now = DiskTime(time.date())
            guard !limits.isExpired(header.times, accessed: accessed, at: now) else {
                discard(key, at: found.place)
                break
            }
            recordUse(key, found, header.times, lastRecorded: accessed, at: now)
            return .file(header, bytes)
        }
        return nil
    }

    private func readPending(_ pending: DiskStaging.PendingEntry) -> CacheEntry? {
        guard !pending.entry.isExpired(at: time.date()) else {
            remove(pending.key)
            return nil
        }
        state.withLock { $0.stats.hits += 1 }
        return completed(pending)
    }

    /// Returns a pending entry. If the entry keeps the extended data of the file that it replaces, adds that data.
    /// Blocks.
    func completed(_ pending: DiskStaging.PendingEntry) -> CacheEntry {
        guard pending.keepsExtended, let (header, _) = head(of: pending.key) else { return pending.entry }
        var entry = pending.entry
        entry.extended = header.extended
        return entry
    }

    func containsOwn(_ key: CacheKey) -> Bool {
        if let pending = state.withLock({ $0.staging.pendingEntry(for: key) }) {
            return !pending.entry.isExpired(at: time.date())
        }
        guard let (header, accessed) = head(of: key) else { return false }
        return !limits.isExpired(header.times, accessed: accessed, at: DiskTime(time.date()))
    }

    /// Returns the handle of the entries folder, or `nil` if the folder does not exist or must not be trusted.
    func entriesHandle() -> EntriesHandle? {
        if let entries = state.withLock({ $0.entries }) { return entries }
        do throws(DiskFailure) {
            let entries = try EntriesHandle(layout)
            let presence = entries.home.flatMap { PresenceTable(in: $0) }
            let segments = entries.home.map { SegmentStore(in: $0) }
            // Closed and unmapped after unlocking.
            let former = state.withLock { state in
                let former = (state.entries, state.presence, state.segments)
                (state.entries, state.presence) = (entries, presence)
                state.segments = state.writerLock?.folders.segments(in: entries) ?? segments
                return former
            }
            withExtendedLifetime(former) {}
            return entries
        } catch {
            if error.isRefusal { report(error.error) }
            return nil
        }
    }

    private func inheritedEntry(for key: CacheKey) -> CacheEntry? {
        for directory in inherited {
            guard let entry = directory.entries.entry(for: key), !entry.isExpired(at: time.date()) else { continue }
            state.withLock { $0.stats.hits += 1 }
            if inheritedUse == .adopt { store(entry, for: key) }
            return entry
        }
        return nil
    }

    private func check(after number: Int) {
        dropStaleEntriesHandle()
        if number % (32 * Self.lookupsBetweenChecks) == 0 { state.withLock { $0.segments }?.forgetRemoved() }
    }

    /// Another process may have replaced the open directory or the table of presence. Checking costs more than a miss,
    /// so it happens at every 256th lookup.
    static let lookupsBetweenChecks = 256

    /// Counts a hit and records the use if it is the first one, or if the recorded use is at least a minute away. A
    /// recorded use can lie in the future if the clock was set back. An entry that is read repeatedly therefore costs
    /// the same as one that is read once.
    private func recordUse<Bytes>(
        _ key: CacheKey, _ found: Found<Bytes>, _ times: EntryTimes, lastRecorded: DiskTime, at now: DiskTime
    ) {
        let isWorthRecording =
            times.isUnused(accessed: lastRecorded) || now.distance(to: lastRecorded) >= Self.accessPrecision
        guard isWorthRecording else { return state.withLock { $0.stats.hits += 1 } }
        switch found.place {
        case .slot(let place):
            found.probe.segments?.recordAccess(place, at: now)
            state.withLock { $0.stats.hits += 1 }
        case .file:
            let name = EntryName(key)
            let work = state.withLock { state in
                state.stats.hits += 1
                return state.staging.recordAccess(name, at: now)
            }
            start(work)
        }
    }

    /// The precision of recorded uses, in microseconds.
    private static let accessPrecision: UInt64 = 60_000_000
}

extension CacheEntry {
    /// Creates an entry from a file's header and payload.
    init(_ header: EntryHeader, _ data: Data) {
        self.init(
            data: data, format: header.format, metadata: header.metadata, extended: header.extended,
            created: header.times.created.date, expires: header.times.expires?.date)
    }

    /// Whether the entry's own expiry date has passed.
    func isExpired(at date: Date) -> Bool { expires.map { $0 <= date } ?? false }
}
