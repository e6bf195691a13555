import Foundation
import GRDB
import TintypeCore

/// The bookkeeping of a disk cache in SQLite: sizes and times, for limits and totals.
///
/// The files are the truth; this is never asked on the way of a read, and is made anew from the files when it is lost
/// or damaged. Several processes may write it at once. All calls block.
final class DiskIndex: Sendable {
    private let database: DatabaseQueue

    /// Opens the index of a cache; makes it, from the files that are there, when there is none or it is damaged.
    ///
    /// - Throws: ``TintypeError/Code/unwritable``.
    init(_ layout: CacheLayout) throws(TintypeError) {
        do {
            database = try Self.open(layout)
        } catch let error as DatabaseError where error.isDamage {
            Self.delete(layout)
            do { database = try Self.open(layout) } catch { throw Self.failure(error, layout) }
        } catch {
            throw Self.failure(error, layout)
        }
    }

    private static func open(_ layout: CacheLayout) throws -> DatabaseQueue {
        try layout.makeFolder(layout.home)
        var configuration = Configuration()
        configuration.journalMode = .wal
        // Another process may be writing a batch.
        configuration.busyMode = .timeout(10)
        let database = try DatabaseQueue(path: layout.indexPath, configuration: configuration)
        // What a crash loses of the index, the files still have. Not in the configuration, which GRDB's switch to WAL
        // would override.
        try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = OFF") }
        try database.write { database in
            // Set with the last of the rows, so that a crash in the middle begins anew.
            guard try Int.fetchOne(database, sql: "PRAGMA user_version") == 0 else { return }
            try database.execute(sql: schema)
            try layout.forEachEntryRecord { try add($0, to: database) }
            try database.execute(sql: "PRAGMA user_version = 1")
        }
        return database
    }

    /// Totals are kept by triggers, so that they are right whichever process writes.
    private static let schema = """
        CREATE TABLE IF NOT EXISTS entry (
            name TEXT PRIMARY KEY, size INTEGER NOT NULL, created REAL NOT NULL, accessed REAL NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS entryByAccess ON entry (accessed);
        CREATE TABLE IF NOT EXISTS total (id INTEGER PRIMARY KEY CHECK (id = 1), count INTEGER, size INTEGER);
        INSERT OR IGNORE INTO total VALUES (1, 0, 0);
        CREATE TRIGGER IF NOT EXISTS entryAdded AFTER INSERT ON entry BEGIN
            UPDATE total SET count = count + 1, size = size + NEW.size; END;
        CREATE TRIGGER IF NOT EXISTS entryRemoved AFTER DELETE ON entry BEGIN
            UPDATE total SET count = count - 1, size = size - OLD.size; END;
        CREATE TRIGGER IF NOT EXISTS entryChanged AFTER UPDATE OF size ON entry BEGIN
            UPDATE total SET size = size - OLD.size + NEW.size; END;
        """

    /// Whether an error says that the index is damaged, so that only making it anew helps.
    static func isDamage(_ error: any Error) -> Bool {
        (error as? DatabaseError)?.isDamage ?? false
    }

    static func delete(_ layout: CacheLayout) {
        for suffix in ["", "-wal", "-shm"] { unlink(layout.indexPath + suffix) }
    }

    fileprivate static func failure(_ error: any Error, _ layout: CacheLayout) -> TintypeError {
        if let error = error as? TintypeError { return error }
        return TintypeError(
            .unwritable, stage: .store, "the cache's index cannot be used: \(error)", subject: layout.root,
            underlying: error)
    }
}

// MARK: - Writing

extension DiskIndex {
    func apply(_ batch: IndexBatch) throws {
        guard !batch.isEmpty else { return }
        try database.write { database in
            // In this order: what was removed may have been stored again since.
            for name in batch.removed { try Self.remove(name, from: database) }
            for record in batch.added { try Self.add(record, to: database) }
            let touch = try database.cachedStatement(sql: "UPDATE entry SET accessed = max(accessed, ?) WHERE name = ?")
            for (name, date) in batch.accessed {
                try touch.execute(arguments: [date.timeIntervalSince1970, name.text])
            }
        }
    }

    private static func add(_ record: IndexRecord, to database: Database) throws {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO entry VALUES (?, ?, ?, ?)
                ON CONFLICT (name) DO UPDATE
                SET size = excluded.size, created = excluded.created, accessed = excluded.accessed
                """)
        try statement.execute(arguments: [
            record.name.text, record.size, record.created.timeIntervalSince1970, record.accessed.timeIntervalSince1970,
        ])
    }

    private static func remove(_ name: EntryName, from database: Database) throws {
        try database.cachedStatement(sql: "DELETE FROM entry WHERE name = ?").execute(arguments: [name.text])
    }

    func removeAll() throws {
        try database.write { try $0.execute(sql: "DELETE FROM entry") }
    }
}

// MARK: - Asking

extension DiskIndex {
    var usage: DiskUsage {
        get throws {
            try database.read { database in
                let row = try Row.fetchOne(database, sql: "SELECT count, size FROM total")
                return DiskUsage(count: row?["count"] ?? 0, byteCount: row?["size"] ?? 0)
            }
        }
    }

    /// The entries that were not used for longest, at most `count`; before `date` if one is given.
    func oldest(_ count: Int, accessedBefore date: Date? = nil) throws -> [IndexRecord] {
        try database.read { database in
            try Row.fetchAll(
                database, sql: "SELECT * FROM entry WHERE accessed < ? ORDER BY accessed LIMIT ?",
                arguments: [date?.timeIntervalSince1970 ?? .infinity, count]
            ).compactMap(Self.record)
        }
    }

    /// All entries, the last used first.
    func all() throws -> [IndexRecord] {
        try database.read { database in
            try Row.fetchAll(database, sql: "SELECT * FROM entry ORDER BY accessed DESC, name").compactMap(Self.record)
        }
    }

    private static func record(_ row: Row) -> IndexRecord? {
        guard let name = (row["name"] as String?).flatMap(EntryName.init) else { return nil }
        return IndexRecord(
            name: name, size: row["size"], created: Date(timeIntervalSince1970: row["created"]),
            accessed: Date(timeIntervalSince1970: row["accessed"]))
    }
}

extension DatabaseError {
    fileprivate var isDamage: Bool {
        [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(resultCode)
    }
}

extension CacheLayout {
    /// What the index needs to know of every undamaged entry, from its file.
    fileprivate func forEachEntryRecord(_ body: (IndexRecord) throws -> Void) rethrows {
        var names: [EntryName] = []
        forEachEntry { names.append($0) }
        for name in names {
            guard let (header, size) = EntryFile.readHeader(path(of: name)) else { continue }
            try body(IndexRecord(name: name, size: size, created: header.created, accessed: header.created))
        }
    }
}
