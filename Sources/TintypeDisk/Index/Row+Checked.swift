import Foundation
import GRDB

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
