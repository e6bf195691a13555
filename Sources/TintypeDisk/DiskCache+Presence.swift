import Foundation
import TintypeCore

// The table of presence: ``PresenceTable``. Without one, a miss costs an open that fails.

extension DiskCache {
    /// Whether a key can have an entry on the disk.
    func mayExist(_ key: CacheKey) -> Bool {
        if case .absent? = state.withLock({ $0.presence })?.answer(for: key) { false } else { true }
    }

    /// Inserts keys into the table.
    ///
    /// - Parameter hasLoss: Whether a table that was being replaced has lost a key, so that the next one may lack it.
    func publish(_ keys: some Collection<CacheKey>, hasLoss: Bool = false) {
        var hasLoss = hasLoss
        // Tables are rarely replaced. A table that a damaged file marks as replaced is replaced by `maintainPresence`.
        for _ in 0..<4 {
            guard let table = state.withLock({ $0.presence }) else { return }
            if hasLoss { table.markIncomplete() }
            for key in keys {
                if table.insert(key) == .displaced { hasLoss = true }
            }
            guard table.isRetired else { return }
            refreshPresence()
        }
    }

    /// Inserts keys whose entries have their names now. The table may have been created or replaced in between, also in
    /// a new directory.
    func publish(written keys: [CacheKey], in folders: WriterFolders) {
        _ = currentEntriesHandle()
        publish(keys)
        guard let table = state.withLock({ $0.presence }), let bucketCount = table.urgentGrowth else { return }
        replace(table, bucketCount: bucketCount, copies: true, in: folders)
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
        switch try table.growth(entries: { try index.usage.count }) {
        case .none: fillInBackground(table)
        case .copy(let count): replace(table, bucketCount: count, copies: true)
        case .refill(let count): replace(table, bucketCount: count, copies: false)
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
        replace(table, bucketCount: PresenceHeader.minimumBucketCount, copies: false)
    }

    private func replace(_ table: PresenceTable, bucketCount: Int, copies: Bool) {
        guard let folders = try? WriterFolders(layout) else { return }
        replace(table, bucketCount: bucketCount, copies: copies, in: folders)
    }

    private func replace(_ table: PresenceTable, bucketCount: Int, copies: Bool, in folders: WriterFolders) {
        guard table.replace(bucketCount: bucketCount, copies: copies, in: folders) != nil else { return }
        refreshPresence()
        if let table = state.withLock({ $0.presence }) { fillInBackground(table) }
    }

    /// Runs one step of reconciling the index with the files. Returns whether more steps are needed.
    func reconcile(_ index: DiskIndex) throws -> Bool {
        // A writer that was stopped may have named an entry without inserting it.
        _ = currentEntriesHandle()
        return try index.reconcile(layout) { publish(CollectionOfOne($0)) }
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
        if let table, let entries, let first = table.beginFilling() {
            let (next, isStopped) = fill(table, from: first, entries)
            table.recordFilled(first, before: next)
            if !isStopped { return WorkQueue.disk.enqueue(at: .veryLow) { [weak self] in self?.fillStep() } }
        }
        state.withLock { $0.isFillingPresence = false }
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
                guard names.allSatisfy({ fill(table, $0, entries) }) else { return (number, true) }
            } catch { return (number, true) }
            number += 1
        }
        return (number, false)
    }

    /// Inserts the key of one entry. Returns `false` if the entry cannot be read at present.
    private func fill(_ table: PresenceTable, _ name: EntryName, _ entries: EntriesHandle) -> Bool {
        switch EntryFile.readHead(name, in: entries) {
        case .unreadable: return false
        case .absent, .damaged: return true
        case .sound(let header, _):
            if table.insert(header.key) == .displaced, table.isRetired {
                publish(EmptyCollection<CacheKey>(), hasLoss: true)
            }
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
