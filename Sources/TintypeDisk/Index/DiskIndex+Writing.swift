import Foundation
import GRDB

extension DiskIndex {
    /// Applies a batch in one transaction.
    func apply(_ batch: IndexBatch) throws {
        guard !batch.changes.isEmpty else { return }
        try database.write { database in
            let add = try IndexStatement(Self.upsert, in: database)
            // The clock may have been set back after the recorded time, so the last report counts and not the latest
            // time.
            let touch = try IndexStatement("UPDATE entry SET accessed = ? WHERE name = ?", in: database)
            let remove = try IndexStatement(Self.delete, in: database)
            for (name, change) in batch.changes {
                switch change {
                case .added(let record): try add.run(record)
                case .accessed(let time): try touch.run(name, at: 2) { $0.bind(time.microseconds, at: 1) }
                case .removed: try remove.run(name)
                }
            }
        }
    }

    /// Removes evicted entries, except those stored again since: a file that the index does not contain is never
    /// evicted.
    func remove(_ records: [IndexRecord]) throws {
        try database.write { database in
            let statement = try IndexStatement("DELETE FROM entry WHERE name = ? AND changed = ?", in: database)
            for record in records {
                try statement.run(record.name) { $0.bind(record.times.changed.microseconds, at: 2) }
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
        try IndexStatement(replacing ? upsert : insert, in: database).run(record)
    }

    private static let insert = "INSERT OR IGNORE INTO entry VALUES (?, ?, ?, ?, ?, ?, ?)"
    private static let upsert = """
        INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (name) DO UPDATE SET
            size = excluded.size, created = excluded.created, modified = excluded.modified,
            changed = excluded.changed, accessed = excluded.accessed, expires = excluded.expires
        """

    static func remove(_ name: EntryName, from database: Database) throws {
        try IndexStatement(delete, in: database).run(name)
    }

    private static let delete = "DELETE FROM entry WHERE name = ?"
}

extension IndexStatement {
    /// Runs a statement with the columns of the table for parameters.
    fileprivate func run(_ record: IndexRecord) throws {
        try run(record.name) { statement in
            let times = record.times
            statement.bind(Int64(record.size), at: 2)
            statement.bind(times.created.microseconds, at: 3)
            statement.bind(times.modified.microseconds, at: 4)
            statement.bind(times.changed.microseconds, at: 5)
            statement.bind(record.accessed.microseconds, at: 6)
            statement.bind(times.expires?.microseconds, at: 7)
        }
    }
}
