import Foundation
import GRDB

extension DiskIndex {
    /// The totals, whatever their number: O(1).
    var usage: DiskUsage {
        get throws {
            try database.read { database in
                let row = try Row.fetchOne(database.cachedStatement(sql: "SELECT count, size FROM total"))
                return DiskUsage(count: row?["count"] ?? 0, byteCount: row?["size"] ?? 0)
            }
        }
    }

    /// The entries that come first in the order of `expiry`, at most `count`; before `time` if one is given.
    func oldest(_ count: Int, by expiry: DiskLimits.Expiry, before time: DiskTime? = nil) throws -> [IndexRecord] {
        try prepare(expiry)
        return try fetch(
            "SELECT * FROM entry WHERE \(expiry.column) < ? ORDER BY \(expiry.column) LIMIT ?",
            [time?.microseconds ?? .max, count])
    }

    /// The entries whose own time is over, at most `count`.
    func expired(_ count: Int, at time: DiskTime) throws -> [IndexRecord] {
        try fetch(
            "SELECT * FROM entry WHERE expires IS NOT NULL AND expires <= ? ORDER BY expires LIMIT ?",
            [time.microseconds, count])
    }

    /// All entries, the last used first.
    func all() throws -> [IndexRecord] { try fetch("SELECT * FROM entry ORDER BY accessed DESC, name", []) }

    /// Brings times that lie in the future, since the clock was set back, to the present: otherwise such an entry would
    /// outlive its age by as much.
    func clampTimes(of expiry: DiskLimits.Expiry, to now: DiskTime) throws {
        try prepare(expiry)
        try database.write { database in
            let column = expiry.column
            try database.cachedStatement(sql: "UPDATE entry SET \(column) = ? WHERE \(column) > ?")
                .execute(arguments: [now.microseconds, now.microseconds])
        }
    }

    /// The order by one time is kept from when it is first needed: most caches need one of the four.
    private func prepare(_ expiry: DiskLimits.Expiry) throws {
        try database.write { database in
            let column = expiry.column
            try database.cachedStatement(sql: "CREATE INDEX IF NOT EXISTS entryBy_\(column) ON entry (\(column))")
                .execute()
        }
    }

    private func fetch(_ sql: String, _ arguments: StatementArguments) throws -> [IndexRecord] {
        try database.read { database in
            try Row.fetchAll(database.cachedStatement(sql: sql), arguments: arguments).compactMap(Self.record)
        }
    }

    private static func record(_ row: Row) -> IndexRecord? {
        guard let name = (row["name"] as Data?).flatMap(EntryName.init(bytes:)) else { return nil }
        func time(_ column: String) -> DiskTime { DiskTime(microseconds: row[column]) }
        let expires: Int64? = row["expires"]
        return IndexRecord(
            name: name, size: row["size"],
            times: EntryTimes(
                created: time("created"), modified: time("modified"), changed: time("changed"),
                expires: expires.map { DiskTime(microseconds: $0) }),
            accessed: time("accessed"))
    }
}

extension DiskLimits.Expiry {
    /// Its column in the index.
    fileprivate var column: String { rawValue }
}
