import Foundation
import GRDB

extension DiskIndex {
    /// The totals, whatever their number: O(1).
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

    /// The entries that were used last, at most `count`; those that come after `last` if one is given.
    func lastUsed(_ count: Int, after last: IndexRecord?) throws -> [IndexRecord] {
        try prepare(.access)
        return try fetch(
            "SELECT * FROM entry WHERE (accessed, name) < (?, ?) ORDER BY accessed DESC, name DESC LIMIT ?",
            [last?.accessed.microseconds ?? .max, last?.name.bytes ?? Data(repeating: 0xFF, count: 33), count])
    }

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
    /// Its column in the index.
    fileprivate var column: String { rawValue }
}

/// Something that stands in the index and cannot be, though SQLite takes it: a byte of it was changed.
struct IndexDamage: Error {}

// Columns are read as what they have to be. GRDB's own ways stop the program when a damaged file says otherwise.

extension Row {
    /// - Throws: ``IndexDamage``.
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

    /// A number of bytes or entries. What is larger than any disk would have sums without a number.
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
