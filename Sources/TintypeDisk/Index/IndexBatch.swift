/// The record of one entry in the index: only what the limits need.
struct IndexRecord: Equatable, Sendable {
    let name: EntryName
    /// The exact length of the file, in bytes.
    let size: Int
    let times: EntryTimes
    var accessed: DiskTime

    /// The size that totals and limits count.
    var allocatedSize: Int { DiskUsage.allocatedSize(size) }

    /// The time from which the age counts.
    func time(of expiry: DiskLimits.Expiry) -> DiskTime {
        expiry == .access ? accessed : times.time(of: expiry)
    }
}

extension EntryTimes {
    /// The time from which the age of an unused entry counts.
    func time(of expiry: DiskLimits.Expiry) -> DiskTime {
        switch expiry {
        case .access, .change: changed
        case .modification: modified
        case .creation: created
        }
    }
}

/// Changes to write to the index in one transaction, at most one per entry.
struct IndexBatch: Sendable {
    enum Change: Equatable, Sendable {
        case added(IndexRecord)
        case accessed(DiskTime)
        case removed
    }

    private(set) var changes: [EntryName: Change] = [:]
    /// The number of entries that were written to segments, which the index does not contain. They count for the
    /// limits.
    var recordCount = 0

    var isEmpty: Bool { changes.isEmpty && recordCount == 0 }
    var count: Int { changes.count + recordCount }

    /// Whether the batch may increase the total size.
    var adds: Bool {
        recordCount > 0 || changes.values.contains { if case .added = $0 { true } else { false } }
    }

    mutating func add(_ record: IndexRecord) { changes[record.name] = .added(record) }

    mutating func remove(_ name: EntryName) { changes[name] = .removed }

    mutating func withdrawRemoval(_ name: EntryName) {
        if case .removed = changes[name] { changes[name] = nil }
    }

    mutating func access(_ name: EntryName, at time: DiskTime) {
        switch changes[name] {
        case .added(var record):
            record.accessed = max(record.accessed, time)
            changes[name] = .added(record)
        case .accessed(let earlier): changes[name] = .accessed(max(earlier, time))
        case .removed: break
        case nil: changes[name] = .accessed(time)
        }
    }
}
