import Foundation
import GRDB

extension DiskIndex {
    /// Applies a batch in one transaction.
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

    /// Removes evicted entries, except those stored again since: a file that the index does not contain is never
    /// evicted.
    func remove(_ records: [IndexRecord]) throws {
        try database.write { database in
            let statement = try database.cachedStatement(sql: "DELETE FROM entry WHERE name = ? AND changed = ?")
            for record in records {
                try statement.execute(arguments: [record.name.bytes, record.times.changed.microseconds])
            }
        }
    }

    /// Removes everything and marks the index as unreconciled. Recreating the tables takes the same time however many
    /// entries there are.
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

    /// The clock may have been set back after the recorded time, so the last report counts and not the latest time.
    private static func touch(_ name: EntryName, _ time: DiskTime, in database: Database) throws {
        try database.cachedStatement(sql: "UPDATE entry SET accessed = ? WHERE name = ?")
            .execute(arguments: [time.microseconds, name.bytes])
    }

    static func remove(_ name: EntryName, from database: Database) throws {
        try database.cachedStatement(sql: "DELETE FROM entry WHERE name = ?").execute(arguments: [name.bytes])
    }
}
