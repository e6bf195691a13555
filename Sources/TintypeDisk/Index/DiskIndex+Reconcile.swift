import Foundation
import GRDB
import TintypeCore

extension DiskIndex {
    /// Whether the index is known to match the files.
    var isReconciled: Bool {
        get throws { try database.read { try Self.reconciled($0) >= EntryFolder.count } }
    }

    /// Makes ``reconcile(_:)`` start over. A process that was stopped may have left files that the index does not
    /// contain.
    func markUnreconciled() throws {
        try database.write { try $0.execute(sql: "UPDATE total SET reconciled = 0") }
    }

    /// Runs one step of reconciling the index with the files.
    ///
    /// A step reads some folders, adds the files that the index lacks, and removes entries without a file. The progress
    /// is stored in the same transaction, so that the next process to open the index continues from there.
    ///
    /// - Parameter publish: Receives the header of each file that the index lacks. Returns whether the file is the
    ///   entry of its key; another one is removed.
    /// - Returns: Whether more steps are needed.
    /// - Throws: ``DiskFailure`` if a folder cannot be read at present. Then nothing is changed.
    func reconcile(_ layout: CacheLayout, publish: (EntryHeader) -> Bool) throws -> Bool {
        let entries = try EntriesHandle(ifPresent: layout)
        return try database.write { database in
            var number = try Self.reconciled(database)
            var seen = 0
            while number < EntryFolder.count && seen < Self.stepSize {
                let folder = EntryFolder(number)
                let isAlone = try !(entries?.hasFolders(beside: folder) ?? false)
                let siblings = isAlone ? EntryFolder.siblings - number % EntryFolder.siblings : 1
                let files = isAlone ? nil : try entries?.files(in: folder)
                seen += try Self.reconcile(number..<number + siblings, files, entries, database, publish)
                number += siblings
            }
            try database.cachedStatement(sql: "UPDATE total SET reconciled = ?").execute(arguments: [number])
            return number < EntryFolder.count
        }
    }

    /// The number of entries that one step examines.
    private static let stepSize = 256

    private static func reconciled(_ database: Database) throws -> Int {
        guard let row = try Row.fetchOne(database.cachedStatement(sql: "SELECT reconciled FROM total")) else {
            throw IndexDamage()
        }
        return try row.count("reconciled")
    }

    /// Makes the index match the files of some folders. Returns the number of entries examined.
    ///
    /// - Parameter files: The folder that contains the files, and their names, if there are any.
    private static func reconcile(
        _ folders: Range<Int>, _ files: EntriesHandle.Files?, _ entries: EntriesHandle?, _ database: Database,
        _ publish: (EntryHeader) -> Bool
    ) throws -> Int {
        let rows = try Row.fetchAll(
            database.cachedStatement(sql: "SELECT name, size FROM entry WHERE name >= ? AND name < ?"),
            arguments: [bound(folders.lowerBound), bound(folders.upperBound)])
        let known = try rows.reduce(into: [EntryName: Int]()) { known, row in
            known[try row.name()] = try row.count("size")
        }
        var present: Set<EntryName> = []
        for file in files?.names ?? [] {
            guard let name = EntryName(file) else { continue }
            present.insert(name)
            // A file of another size was replaced by a writer that stopped before it recorded that.
            if let size = known[name], size == files?.folder.status(of: file).map({ Int($0.st_size) }) { continue }
            guard let record = entries?.record(of: name, publish: publish) else { continue }
            try add(record, to: database, replacing: known[name] != nil)
        }
        for name in known.keys where !present.contains(name) { try remove(name, from: database) }
        return 1 + known.count + present.count
    }

    /// The first possible name in a folder. After the last folder, a value greater than every name.
    private static func bound(_ folder: Int) -> Data {
        folder < EntryFolder.count
            ? Data([UInt8(folder >> 4), UInt8(folder & 15) << 4]) : Data(repeating: 0xFF, count: 33)
    }
}

extension EntriesHandle {
    /// Opens the folder of a cache; `nil` if there is none.
    ///
    /// - Throws: ``DiskFailure`` if it cannot be opened at present, or must not be trusted.
    fileprivate convenience init?(ifPresent layout: CacheLayout) throws(DiskFailure) {
        do throws(DiskFailure) { try self.init(layout) } catch {
            guard error.isMissing else { throw error }
            return nil
        }
    }

    /// A folder, and the names of the files in it.
    fileprivate typealias Files = (folder: OwnedFolder, names: [String])

    /// Returns the files in one folder. `nil` if there is none that this user may read, and that only this user can
    /// change.
    ///
    /// - Throws: ``DiskFailure`` if it cannot be read at present.
    fileprivate func files(in folder: EntryFolder) throws(DiskFailure) -> Files? {
        do throws(DiskFailure) {
            guard let folder = try open(folder) else { return nil }
            return (folder, try folder.currentNames())
        } catch {
            // That may last, and must not keep the other folders from being reconciled.
            guard error.errorNumber == EACCES else { throw error }
            return nil
        }
    }

    /// Returns the record of an entry from its file. Removes a damaged file, because no limit would count it.
    ///
    /// - Parameter publish: Receives the header, and returns whether the file is the entry of its key.
    func record(of name: EntryName, publish: (EntryHeader) -> Bool = { _ in true }) -> IndexRecord? {
        switch EntryFile.readHead(name, in: self) {
        case .absent, .unreadable: return nil
        case .sound(let header, let accessed) where EntryName(header.key) == name:
            guard publish(header) else {
                remove(name)
                return nil
            }
            return IndexRecord(
                name: name, size: header.fileLength, times: header.times, accessed: max(accessed, header.times.changed))
        case .sound, .damaged:
            remove(name)
            return nil
        }
    }
}
