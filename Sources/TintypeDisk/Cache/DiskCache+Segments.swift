import Foundation
import TintypeCore

// Entries in segments: see `SegmentLayout`. The table of presence tells where they are. Without a table, small entries
// have files of their own.

extension DiskCache {
    /// What the table of presence says about a key, and where to look for its entry.
    struct Probe: Sendable {
        let table: PresenceTable?
        let segments: SegmentStore?
        /// Whether the directory was opened.
        let isOpen: Bool
        var answer = PresenceTable.Answer.unknown

        init(_ state: State) {
            (table, segments, isOpen) = (state.presence, state.segments, state.entries != nil)
        }

        /// - Parameter table: The table that gave the answer. The state may have another one by now.
        init(_ state: State, _ table: PresenceTable?, _ answer: PresenceTable.Answer) {
            (self.table, segments, isOpen) = (table, state.segments, true)
            self.answer = answer
        }

        /// Whether the table has the key of every entry.
        var isComplete: Bool { table?.isComplete ?? false }

        /// The slot of the entry, if it is in one.
        var slot: SegmentPlace? {
            if case .possible(let sighting) = answer, case .slot(let place) = sighting.place { place } else { nil }
        }
    }

    /// Looks up a key in the table.
    func probe(_ key: CacheKey) -> Probe {
        var probe = state.withLock { Probe($0) }
        if !probe.isOpen, entriesHandle() != nil { probe = state.withLock { Probe($0) } }
        guard let table = probe.table else { return probe }
        probe.answer = table.answer(for: key)
        guard case .unknown = probe.answer, table.isRetired else { return probe }
        refreshPresence()
        probe = state.withLock { Probe($0) }
        probe.answer = probe.table?.answer(for: key) ?? .unknown
        return probe
    }

    /// The result of reading an entry, and where it was looked for.
    struct Found<Bytes> {
        let result: EntryFile.ReadResult<Bytes>
        let place: EntryPlace
        let probe: Probe
    }

    /// Reads the entry of a key, wherever it is, and verifies every byte.
    func read<Bytes: EntryBytes>(
        _ key: CacheKey, _ probe: Probe, in entries: EntriesHandle, as type: Bytes.Type
    ) -> Found<Bytes> {
        var probe = probe
        // An entry may be moved to another segment while it is read, but hardly several times.
        for attempt in 1...4 {
            guard let place = probe.slot, let segments = probe.segments else { break }
            let result = segments.read(place, for: key, as: type)
            if case .absent = result, attempt < 4 {
                let next = self.probe(key)
                if next.slot != place {
                    probe = next
                    continue
                }
            }
            return Found(result: result, place: .slot(place), probe: probe)
        }
        let name = EntryName(key)
        // A table that lacks keys is being filled, and a cache without one was copied from another file system.
        if case .unknown = probe.answer, let segments = probe.segments, let place = segments.place(of: name) {
            return Found(result: segments.read(place, for: key, as: type), place: .slot(place), probe: probe)
        }
        return Found(result: EntryFile.read(name, in: entries, for: key, as: type), place: .file, probe: probe)
    }

    /// Returns the header of a key's entry, and its last recorded use.
    func head(of key: CacheKey) -> (EntryHeader, accessed: DiskTime)? {
        let probe = probe(key)
        if case .absent = probe.answer { return nil }
        guard let entries = entriesHandle() else { return nil }
        let name = EntryName(key)
        var isInSegment = probe.slot != nil
        if case .unknown = probe.answer { isInSegment = probe.segments?.place(of: name) != nil }
        // Records are small enough to be read as a whole.
        if isInSegment, case .file(let header, _, let accessed) = read(key, probe, in: entries, as: Data.self).result {
            return (header, accessed)
        }
        guard !isInSegment, case .sound(let header, let accessed) = EntryFile.readHead(name, in: entries),
            header.key == key
        else { return nil }
        return (header, accessed)
    }

    /// Removes an entry that is expired or damaged.
    func discard(_ key: CacheKey, at place: EntryPlace) {
        switch place {
        case .file: removeFile(EntryName(key))
        case .slot(let place): state.withLock { $0.segments }?.remove(place, of: EntryName(key))
        }
    }

    /// Removes the entry of a key from the segments.
    func removeRecords(of key: CacheKey) {
        let name = EntryName(key)
        var last: SegmentPlace?
        while true {
            let probe = probe(key)
            // An entry that is moved to another segment at this moment is live in one of both.
            if let place = probe.slot, place != last {
                probe.segments?.remove(place, of: name)
                last = place
                continue
            }
            // While the table lacks keys, there may be another record that it does not lead to.
            if !probe.isComplete { probe.segments?.removeAll(named: name) }
            return
        }
    }

    // MARK: Writing

    /// Whether an entry is written to a segment.
    func isForSegments(_ entry: CacheEntry, _ lengths: EntryHeader.Lengths) -> Bool {
        usesSegments && entry.file == nil && SegmentLayout.holds(lengths)
            && state.withLock { $0.presence?.isWritable ?? false }
    }

    /// Makes a record that was appended the entry of its key, and removes the entry that it replaces. Removes the
    /// record if the entry was removed while it was being written.
    func replaceEntry(
        _ pending: DiskStaging.PendingEntry, as name: EntryName, at place: SegmentPlace, _ segments: SegmentStore
    ) {
        let isKnown = state.withLock { $0.presence?.isComplete ?? false }
        var hasFile = false
        let wasKnown = insertKey(pending.key, .at(.slot(place))) { former in
            if case .slot(let former) = former, former != place { segments.remove(former, of: name) }
            if former == .file { hasFile = true }
        }
        if !wasKnown, !isKnown {
            segments.removeAll(named: name, except: place)
            hasFile = true
        }
        if hasFile { currentEntriesHandle()?.remove(name) }
        let mayStay = state.withLock { state in
            state.stats.writes += 1
            state.health.succeeded()
            return state.staging.finishWriting(pending, replacesFile: hasFile ? name : nil)
        }
        // Unless it was moved meanwhile.
        if !mayStay, !segments.remove(place, of: name) { removeRecords(of: pending.key) }
    }

    /// Makes a living record the entry of its key if the table that is in place now leads elsewhere, and not to a newer
    /// one.
    func adoptRecord(of key: CacheKey, at place: SegmentPlace) {
        guard probe(key).slot != place, let segments = state.withLock({ $0.segments }),
            let (segment, slot) = try? segments.slot(place), slot.isLive,
            let header = segment.withRecord(of: slot, { EntryHeader(decoding: $0) })
        else { return }
        try? adoptRecord(header, in: slot, place)
    }

    /// Makes a file the entry of its key, and removes the record that it replaces.
    func replaceEntryWithFile(of key: CacheKey, _ name: EntryName) {
        let (segments, isKnown) = state.withLock { ($0.segments, $0.presence?.isComplete ?? false) }
        let wasKnown = insertKey(key, .at(.file)) { former in
            if case .slot(let place) = former { segments?.remove(place, of: name) }
        }
        if !wasKnown, !isKnown { segments?.removeAll(named: name) }
    }

    /// Inserts the key of a file that was found, unless a newer record is the entry of that key.
    ///
    /// - Returns: Whether the file is the entry of its key.
    func adoptFile(_ header: EntryHeader) -> Bool {
        var former: EntryPlace?
        insertKey(header.key) { former = $0 }
        guard case .slot(let place)? = former, let segments = state.withLock({ $0.segments }) else { return true }
        let name = EntryName(header.key)
        if let (_, slot) = try? segments.slot(place), slot.isLive, slot.name == name,
            slot.changed >= header.times.changed
        {
            return false
        }
        if move(header.key, from: .slot(place), to: .file) { segments.remove(place, of: name) }
        return true
    }
}

extension DiskCache {
    /// Inserts the keys of all living records of a segment. Of several entries of a key, the newest one stays.
    func adoptRecords(of segment: Segment) throws(DiskFailure) {
        for index in 0..<segment.slotsInUse {
            guard let slot = segment.slot(index), slot.isLive else { continue }
            guard let header = segment.withRecord(of: slot, { EntryHeader(decoding: $0) }) else {
                segment.remove(index)
                continue
            }
            try adoptRecord(header, in: slot, SegmentPlace(segment.number, index))
        }
    }

    /// Inserts the key of a record that was found, unless a newer entry is in the table.
    func adoptRecord(
        _ header: EntryHeader, in slot: Segment.Slot, _ place: SegmentPlace
    ) throws(DiskFailure) {
        var former: EntryPlace?
        insertKey(header.key, .kept(otherwise: .slot(place))) { former = $0 }
        guard let former, former != .slot(place), let segments = state.withLock({ $0.segments }) else { return }
        guard let changed = try changeTime(of: slot.name, at: former, segments) else {
            _ = move(header.key, from: former, to: .slot(place))
            return
        }
        // Of two copies, which compaction makes, one is removed by it.
        if changed > slot.changed {
            segments.remove(place, of: slot.name)
        } else if changed < slot.changed, move(header.key, from: former, to: .slot(place)) {
            discard(header.key, at: former)
        }
    }

    /// When the entry of a name at a place was changed; `nil` if there is none.
    private func changeTime(
        of name: EntryName, at place: EntryPlace, _ segments: SegmentStore
    ) throws(DiskFailure) -> DiskTime? {
        switch place {
        case .slot(let place):
            guard let slot = try segments.slot(place)?.slot, slot.isLive, slot.name == name else { return nil }
            return slot.changed
        case .file:
            guard let entries = entriesHandle(), case .sound(let header, _) = EntryFile.readHead(name, in: entries)
            else { return nil }
            return header.times.changed
        }
    }

    /// Completes the last change of a writer that was stopped: inserts the key of its record, and removes older entries
    /// of that key.
    func recover(_ segment: Segment, _ index: Int, _ segments: SegmentStore) {
        guard let slot = segment.slot(index), slot.isLive,
            let header = segment.withRecord(of: slot, { EntryHeader(decoding: $0) })
        else { return }
        let place = SegmentPlace(segment.number, index)
        try? adoptRecord(header, in: slot, place)
        guard let current = probe(header.key).slot else { return }
        segments.removeAll(named: slot.name, except: current, changedBy: slot.changed)
    }
}

extension SegmentStore {
    /// Reads an entry and verifies every byte.
    func read<Bytes: EntryBytes>(
        _ place: SegmentPlace, for key: CacheKey?, as type: Bytes.Type
    ) -> EntryFile.ReadResult<Bytes> {
        let found: (segment: Segment, slot: Segment.Slot)?
        do throws(DiskFailure) { found = try slot(place) } catch { return .unreadable }
        guard let (segment, slot) = found, slot.isLive else { return .absent }
        guard let copy = segment.copy(slot) else { return .unreadable }
        if let header = copy.withBytes({ EntryFile.verified($0, for: key) }) {
            return .file(header, Bytes(copy: copy), accessed: slot.accessed)
        }
        // The table may have led to another entry, or this one may have been removed meanwhile.
        let isOther = key.map { slot.name != EntryName($0) } ?? false
        return isOther || segment.slot(place.slot)?.isLive != true ? .absent : .damaged
    }

    /// Records a use.
    func recordAccess(_ place: SegmentPlace, at time: DiskTime) {
        (try? segment(place.segment))?.recordAccess(place.slot, at: time)
    }

    /// Returns where the newest entry of a name is. Reads every slot.
    func place(of name: EntryName) -> SegmentPlace? {
        var newest: (place: SegmentPlace, changed: DiskTime)?
        try? forEachSlot { _, place, slot in
            if slot.name == name, newest.map({ $0.changed < slot.changed }) ?? true { newest = (place, slot.changed) }
        }
        return newest?.place
    }

    /// Removes all entries with a name, from whichever segment. Reads every slot.
    ///
    /// - Parameters:
    ///   - place: An entry that stays.
    ///   - time: Those that were changed later stay.
    func removeAll(
        named name: EntryName, except place: SegmentPlace? = nil,
        changedBy time: DiskTime = DiskTime(microseconds: .max)
    ) {
        try? forEachSlot { segment, other, slot in
            if slot.name == name, other != place, slot.changed <= time { segment.remove(other.slot) }
        }
    }

    /// Calls a closure for every living entry.
    ///
    /// - Throws: ``DiskFailure`` if a segment cannot be read at present.
    func forEachSlot(_ body: (Segment, SegmentPlace, Segment.Slot) -> Void) throws(DiskFailure) {
        for segment in try all() {
            for index in 0..<segment.slotsInUse {
                guard let slot = segment.slot(index), slot.isLive else { continue }
                body(segment, SegmentPlace(segment.number, index), slot)
            }
        }
    }
}
