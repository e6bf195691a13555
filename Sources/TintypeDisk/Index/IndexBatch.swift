/// What the bookkeeping knows of one entry: what limits need, and nothing else.
struct IndexRecord: Equatable, Sendable {
    let name: EntryName
    /// Bytes of the file.
    let size: Int
    let times: EntryTimes
    var accessed: DiskTime
}

/// Changes that wait to be written to the index together: the newest of each entry.
struct IndexBatch: Sendable {
    enum Change: Equatable, Sendable {
        case added(IndexRecord)
        case accessed(DiskTime)
        case removed
    }

    private(set) var changes: [EntryName: Change] = [:]

    var isEmpty: Bool { changes.isEmpty }
    var count: Int { changes.count }

    /// Whether there may be more on the disk than before.
    var adds: Bool {
        changes.values.contains { if case .added = $0 { true } else { false } }
    }

    mutating func add(_ record: IndexRecord) { changes[record.name] = .added(record) }

    mutating func remove(_ name: EntryName) { changes[name] = .removed }

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
