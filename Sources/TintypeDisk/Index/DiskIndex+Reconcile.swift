import Foundation
import GRDB

extension DiskIndex {
    /// Whether the index is known to have the entries that the files are.
    var isReconciled: Bool {
        get throws { try database.read { try Self.reconciled($0) >= EntryFolder.count } }
    }

    /// Lets ``reconcile(_:)`` begin anew: a process that was stopped may have left files that the index does not know.
    func distrust() throws {
        try database.write { try $0.execute(sql: "UPDATE total SET reconciled = 0") }
    }

    /// One step towards an index that has the entries which the files are: some folders are read, files that the index
    /// lacks are added to it, and entries without a file are removed. What is done is noted with it, so that whoever
    /// opens the index next goes on from there.
    ///
    /// - Returns: whether more is to be done.
    func reconcile(_ layout: CacheLayout) throws -> Bool {
        let entries = EntriesHandle(layout)
        return try database.write { database in
            var number = try Self.reconciled(database)
            var seen = 0
            while number < EntryFolder.count && seen < Self.stepSize {
                let folder = EntryFolder(number)
                let isAlone = !layout.hasFolders(beside: folder)
                let siblings = isAlone ? EntryFolder.siblings - number % EntryFolder.siblings : 1
                let files = isAlone ? [] : layout.names(in: folder)
                seen += try Self.reconcile(number..<number + siblings, files, entries, database)
                number += siblings
            }
            try database.cachedStatement(sql: "UPDATE total SET reconciled = ?").execute(arguments: [number])
            return number < EntryFolder.count
        }
    }

    /// Entries that one step may look at.
    private static let stepSize = 256

    private static func reconciled(_ database: Database) throws -> Int {
        guard let row = try Row.fetchOne(database.cachedStatement(sql: "SELECT reconciled FROM total")) else {
            throw IndexDamage()
        }
        return try row.count("reconciled")
    }

    /// Makes the part of the index that belongs to some folders say what is in them. Returns how many entries it saw.
    private static func reconcile(
        _ folders: Range<Int>, _ files: [EntryName], _ entries: EntriesHandle?, _ database: Database
    ) throws -> Int {
        let rows = try Row.fetchAll(
            database.cachedStatement(sql: "SELECT name, size FROM entry WHERE name >= ? AND name < ?"),
            arguments: [bound(folders.lowerBound), bound(folders.upperBound)])
        let known = try rows.reduce(into: [EntryName: Int]()) { known, row in
            known[try row.name()] = try row.count("size")
        }
        let present = Set(files)
        for name in known.keys where !present.contains(name) { try remove(name, from: database) }
        for name in files {
            // One of another size was replaced by a writer that was stopped before it could say so.
            if let size = known[name], size == entries?.byteCount(of: name) { continue }
            guard let record = entries?.record(of: name) else { continue }
            try add(record, to: database, replacing: known[name] != nil)
        }
        return 1 + known.count + files.count
    }

    /// The first name that a folder may have; what comes after all, for the folder after the last.
    private static func bound(_ folder: Int) -> Data {
        folder < EntryFolder.count
            ? Data([UInt8(folder >> 4), UInt8(folder & 15) << 4]) : Data(repeating: 0xFF, count: 33)
    }
}

extension EntriesHandle {
    /// What the index needs to know of an entry, from its file. One that is damaged goes, since no limit would count it.
    func record(of name: EntryName) -> IndexRecord? {
        switch EntryFile.readHead(name, in: self) {
        case .missing: return nil
        case .sound(let header, let accessed) where EntryName(header.key) == name:
            return IndexRecord(
                name: name, size: header.fileLength, times: header.times, accessed: max(accessed, header.times.changed))
        case .sound, .damaged:
            remove(name)
            return nil
        }
    }
}
