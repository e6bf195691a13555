import Foundation
import TintypeCore

// The table of presence: ``PresenceTable``. Without one, a miss costs an open that fails.

extension DiskCache {
    /// Inserts a key.
    ///
    /// - Parameters:
    ///   - placement: Where the entry is.
    ///   - hasLoss: Whether a table that was being replaced has lost a key, so that the next one may lack it.
    ///   - replaced: Receives where the entry was before, if the table contained the key.
    /// - Returns: Whether the table contained the key.
    @discardableResult
    func insertKey(
        _ key: CacheKey, _ placement: PresenceSlots.Placement = .kept(otherwise: .file), hasLoss: Bool = false,
        _ replaced: (EntryPlace) -> Void = { _ in }
    ) -> Bool {
        var (hasLoss, wasKnown) = (hasLoss, false)
        // Tables are rarely replaced. A table that a damaged file marks as replaced is replaced by `maintainPresence`.
        for _ in 0..<4 {
            guard let table = state.withLock({ $0.presence }) else { break }
            if hasLoss { table.markIncomplete() }
            if let insertion = table.insert(key, placement) {
                insertion.formers.forEach(replaced)
                hasLoss = hasLoss || insertion.effect == .displaced
                wasKnown = wasKnown || insertion.isSuperseded || !insertion.formers.isEmpty
            }
            guard table.isRetired else { break }
            refreshPresence()
        }
        return wasKnown
    }

    /// Changes the place of a key that is at another one. Returns whether it was there.
    func move(_ key: CacheKey, from former: EntryPlace, to place: EntryPlace) -> Bool {
        var isMoved = false
        for _ in 0..<4 {
            guard let table = state.withLock({ $0.presence }) else { break }
            if table.move(key, from: former, to: place) { isMoved = true }
            guard table.isRetired else { break }
            refreshPresence()
        }
        return isMoved
    }

    /// Inserts the keys of entries that were written. The table may have been created or replaced in between, also in a
    /// new directory.
    func insertKeys(of written: [(key: CacheKey, place: EntryPlace?)], in folders: WriterFolders) {
        _ = currentEntriesHandle()
        for (key, place) in written {
            switch place {
            case .slot(let place): adoptRecord(of: key, at: place)
            case .file: insertKey(key)
            case nil: break
            }
        }
        guard let table = state.withLock({ $0.presence }), let bucketCount = table.urgentGrowth else { return }
        replace(table, bucketCount: bucketCount, copiesFiles: true, in: folders)
    }

    /// Opens the table again if another one has its name.
    func refreshPresence() {
        let (entries, table) = state.withLock { ($0.entries, $0.presence) }
        guard let entries, let home = entries.home else { return }
        let identity = home.status(of: PresenceTable.name).map { InodeIdentity($0) }
        guard identity != table?.identity else { return }
        let next = PresenceTable(in: home)
        state.withLock { state in
            if state.entries === entries { state.presence = next }
        }
    }

    /// Creates the table, or replaces one that fills up, and looks up the entries that it lacks.
    func maintainPresence(_ index: DiskIndex) throws {
        let table = state.withLock { $0.presence }
        guard let table, !table.isRetired else {
            if let folders = try? WriterFolders(layout) { makePresence(in: folders) }
            return
        }
        let count = { try index.usage.count + (self.currentSegments()?.usage().count ?? 0) }
        switch try table.growth(entries: count) {
        case .none: fillInBackground(table)
        case .copy(let count): replace(table, bucketCount: count, copiesFiles: true)
        case .refill(let count): replace(table, bucketCount: count, copiesFiles: false)
        }
    }

    /// Creates the table unless there is one.
    func makePresence(in folders: WriterFolders) {
        guard PresenceTable.make(in: folders) != nil else { return }
        _ = currentEntriesHandle()
        if let table = state.withLock({ $0.presence }) { fillInBackground(table) }
    }

    /// Empties the table after all entries were removed.
    func resetPresence() {
        dropStaleEntriesHandle()
        guard let table = state.withLock({ $0.presence }) else { return }
        replace(table, bucketCount: PresenceHeader.minimumBucketCount, copiesFiles: false)
    }

    private func replace(_ table: PresenceTable, bucketCount: Int, copiesFiles: Bool) {
        guard let folders = try? WriterFolders(layout) else { return }
        replace(table, bucketCount: bucketCount, copiesFiles: copiesFiles, in: folders)
    }

    private func replace(_ table: PresenceTable, bucketCount: Int, copiesFiles: Bool, in folders: WriterFolders) {
        let segments = currentSegments()
        let next = table.replace(bucketCount: bucketCount, copiesFiles: copiesFiles, in: folders) { place in
            // One that cannot be read at present may live.
            do throws(DiskFailure) { return try segments?.slot(place)?.slot.isLive ?? false } catch { return true }
        }
        guard next != nil else { return }
        refreshPresence()
        if let table = state.withLock({ $0.presence }) { fillInBackground(table) }
    }

    /// Runs one step of reconciling the index with the files. Returns whether more steps are needed.
    func reconcile(_ index: DiskIndex) throws -> Bool {
        // A writer that was stopped may have named an entry without inserting it.
        _ = currentEntriesHandle()
        return try index.reconcile(layout) { adoptFile($0) }
    }

    // MARK: Filling

    /// Inserts all entries, one step at a time, so that more urgent work goes first. Entries that are written from now
    /// on are inserted by their writers.
    private func fillInBackground(_ table: PresenceTable) {
        guard !table.isComplete else { return }
        let starts = state.withLock { state in
            defer { state.isFillingPresence = true }
            return !state.isFillingPresence
        }
        if starts { WorkQueue.disk.enqueue(at: .veryLow) { [weak self] in self?.fillStep() } }
    }

    private func fillStep() {
        let (table, entries) = (state.withLock { $0.presence }, currentEntriesHandle())
        // A table that has lost keys is filled from the beginning.
        if let table, table.filledFolders > EntryFolder.count { state.withLock { $0.segmentsToFill = nil } }
        if let table, let entries, let first = table.beginFilling(), fillStep(table, from: first, entries) {
            return WorkQueue.disk.enqueue(at: .veryLow) { [weak self] in self?.fillStep() }
        }
        state.withLock { ($0.isFillingPresence, $0.segmentsToFill) = (false, nil) }
    }

    /// Inserts the entries of one segment, or of some folders. Returns `false` if something cannot be read at present:
    /// the next maintenance tries again.
    private func fillStep(_ table: PresenceTable, from first: Int, _ entries: EntriesHandle) -> Bool {
        do throws(DiskFailure) {
            if first == 0, let segment = try nextSegmentToFill(table) {
                try adoptRecords(of: segment)
                return true
            }
        } catch { return false }
        let (next, isStopped) = fill(table, from: first, entries)
        table.recordFilled(first, before: next)
        // If the table loses keys, the segments are looked up again.
        state.withLock { $0.segmentsToFill = nil }
        return !isStopped
    }

    /// Returns one segment after the other, and then `nil`.
    private func nextSegmentToFill(_ table: PresenceTable) throws(DiskFailure) -> Segment? {
        if state.withLock({ $0.segmentsToFill?.table !== table }) {
            let segments = try currentSegments()?.all() ?? []
            state.withLock { $0.segmentsToFill = (table, segments) }
        }
        return state.withLock { $0.segmentsToFill?.segments.popLast() }
    }

    /// Inserts the entries of some folders. Returns the number of the next folder, and whether that one cannot be read
    /// at present: the next maintenance tries again.
    private func fill(
        _ table: PresenceTable, from first: Int, _ entries: EntriesHandle
    ) -> (next: Int, isStopped: Bool) {
        var (number, seen) = (first, 0)
        while number < EntryFolder.count && seen < Self.fillStepSize {
            let folder = EntryFolder(number)
            seen += 1
            do throws(DiskFailure) {
                guard try entries.hasFolders(beside: folder) else {
                    number += EntryFolder.siblings - number % EntryFolder.siblings
                    continue
                }
                let names = try entries.names(in: folder)
                seen += names.count
                guard names.allSatisfy({ fill($0, entries) }) else { return (number, true) }
            } catch { return (number, true) }
            number += 1
        }
        return (number, false)
    }

    /// Inserts the key of one entry. Returns `false` if the entry cannot be read at present.
    private func fill(_ name: EntryName, _ entries: EntriesHandle) -> Bool {
        switch EntryFile.readHead(name, in: entries) {
        case .unreadable: return false
        case .absent, .damaged: return true
        case .sound(let header, _):
            if !adoptFile(header) { removeFile(name) }
            return true
        }
    }

    /// The number of files and folders that one step examines.
    private static let fillStepSize = 256
}

extension PresenceTable {
    /// Removes a key that has no entry, unless it was inserted since the answer.
    func remove(_ answer: Answer) {
        if case .possible(let sighting) = answer { remove(sighting) }
    }
}
