import Foundation
import GRDB

extension DiskIndex {
    /// In one transaction.
    func apply(_ batch: IndexBatch) throws {
        guard !batch.isEmpty else { return }
        try database.write { database in
            for (name, change) in batch.changes {
                switch change {
                case .added(let record): try Self.add(record, to: database)
                case .accessed(let time): try Self.touch(name, time, in: database)
                case .removed: try Self.remove(name, from: database)
                }
            }
        }
    }

    /// Forgets entries that were evicted, but for those that were stored anew meanwhile: a file that the index does not know
    /// would never be evicted.
    func remove(_ records: [IndexRecord]) throws {
        try database.write { database in
            let statement = try database.cachedStatement(sql: "DELETE FROM entry WHERE name = ? AND changed = ?")
            for record in records {
                try statement.execute(arguments: [record.name.bytes, record.times.changed.microseconds])
            }
        }
    }

    /// Forgets everything, and that it is reconciled. Making the tables anew costs nothing an entry.
    func removeAll() throws {
        try database.write { database in
            try database.execute(sql: "DROP TABLE entry; DROP TABLE total")
            try database.execute(sql: Self.schema)
        }
    }

    static func add(_ record: IndexRecord, to database: Database, replacing: Bool = true) throws {
        let statement = try database.cachedStatement(sql: replacing ? upsert : insert)
        let times = record.times
        try statement.execute(arguments: [
            record.name.bytes, record.size, times.created.microseconds, times.modified.microseconds,
            times.changed.microseconds, record.accessed.microseconds, times.expires?.microseconds,
        ])
    }

    private static let insert = "INSERT OR IGNORE INTO entry VALUES (?, ?, ?, ?, ?, ?, ?)"
    private static let upsert = """
        INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (name) DO UPDATE SET
            size = excluded.size, created = excluded.created, modified = excluded.modified,
            changed = excluded.changed, accessed = excluded.accessed, expires = excluded.expires
        """

    /// A clock that was set back may have made the recorded time too late; so the last word counts, not the latest.
    private static func touch(_ name: EntryName, _ time: DiskTime, in database: Database) throws {
        try database.cachedStatement(sql: "UPDATE entry SET accessed = ? WHERE name = ?")
            .execute(arguments: [time.microseconds, name.bytes])
    }

    static func remove(_ name: EntryName, from database: Database) throws {
        try database.cachedStatement(sql: "DELETE FROM entry WHERE name = ?").execute(arguments: [name.bytes])
    }
}
