import Foundation
import GRDB

extension DiskIndex {
    /// The number of entries and the size of their files. O(1).
    var usage: DiskUsage {
        get throws {
            try database.read { database in
                guard let row = try Row.fetchOne(database.cachedStatement(sql: "SELECT count, size FROM total")) else {
                    throw IndexDamage()
                }
                return DiskUsage(count: try row.count("count"), byteCount: try row.count("size"))
            }
        }
    }

    /// Returns at most `count` entries with the earliest `expiry` time, before `time` if it is given.
    func oldest(_ count: Int, by expiry: DiskLimits.Expiry, before time: DiskTime? = nil) throws -> [IndexRecord] {
        try prepare(expiry)
        return try fetch(
            "SELECT * FROM entry WHERE \(expiry.column) < ? ORDER BY \(expiry.column) LIMIT ?",
            [time?.microseconds ?? .max, count])
    }

    /// Returns at most `count` entries whose own expiry date has passed.
    func expired(_ count: Int, at time: DiskTime) throws -> [IndexRecord] {
        try fetch(
            "SELECT * FROM entry WHERE expires IS NOT NULL AND expires <= ? ORDER BY expires LIMIT ?",
            [time.microseconds, count])
    }

    /// Returns at most `count` entries in order of last use, most recent first, after `last` if it is given.
    func lastUsed(_ count: Int, after last: IndexRecord?) throws -> [IndexRecord] {
        try prepare(.access)
        return try fetch(
            "SELECT * FROM entry WHERE (accessed, name) < (?, ?) ORDER BY accessed DESC, name DESC LIMIT ?",
            [last?.accessed.microseconds ?? .max, last?.name.bytes ?? Data(repeating: 0xFF, count: 33), count])
    }

    /// Moves times in the future to the present. If the clock was set back, such entries would otherwise outlive their
    /// age.
    func clampTimes(of expiry: DiskLimits.Expiry, to now: DiskTime) throws {
        try prepare(expiry)
        try database.write { database in
            let column = expiry.column
            try database.cachedStatement(sql: "UPDATE entry SET \(column) = ? WHERE \(column) > ?")
                .execute(arguments: [now.microseconds, now.microseconds])
        }
    }

    /// Creates the database index for one time when it is first needed. Most caches need one of the four.
    private func prepare(_ expiry: DiskLimits.Expiry) throws {
        try database.write { database in
            let column = expiry.column
            try database.cachedStatement(sql: "CREATE INDEX IF NOT EXISTS entryBy_\(column) ON entry (\(column))")
                .execute()
        }
    }

    private func fetch(_ sql: String, _ arguments: StatementArguments) throws -> [IndexRecord] {
        try database.read { database in
            try Row.fetchAll(database.cachedStatement(sql: sql), arguments: arguments).map(Self.record)
        }
    }

    private static func record(_ row: Row) throws -> IndexRecord {
        func time(_ column: String) throws -> DiskTime { DiskTime(microseconds: try row.integer(column)) }
        return IndexRecord(
            name: try row.name(), size: try row.count("size"),
            times: EntryTimes(
                created: try time("created"), modified: try time("modified"), changed: try time("changed"),
                expires: try row.optionalInteger("expires").map { DiskTime(microseconds: $0) }),
            accessed: try time("accessed"))
    }
}

extension DiskLimits.Expiry {
    /// The column of this time in the index.
    fileprivate var column: String { rawValue }
}

/// A value in the index that SQLite accepts but that is impossible, because a byte was changed.
struct IndexDamage: Error {}

// These methods check the type of each column. GRDB's own accessors trap on an unexpected type in a damaged file.

extension Row {
    /// Returns an integer column.
    ///
    /// - Throws: ``IndexDamage`` if the column has another type.
    func integer(_ column: String) throws -> Int64 {
        guard let value = try optionalInteger(column) else { throw IndexDamage() }
        return value
    }

    func optionalInteger(_ column: String) throws -> Int64? {
        guard let value = self[column] as DatabaseValue? else { throw IndexDamage() }
        if value.isNull { return nil }
        guard case .int64(let number) = value.storage else { throw IndexDamage() }
        return number
    }

    /// Returns a number of bytes or entries. A number larger than any disk would make sums overflow, so it counts as
    /// damage.
    func count(_ column: String) throws -> Int {
        let value = try integer(column)
        guard value >= 0, value < 1 << 56 else { throw IndexDamage() }
        return Int(value)
    }

    func name() throws -> EntryName {
        guard let value = self["name"] as DatabaseValue?, case .blob(let bytes) = value.storage,
            let name = EntryName(bytes: bytes)
        else { throw IndexDamage() }
        return name
    }
}
