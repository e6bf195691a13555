import GRDB
import GRDBSQLite

/// A statement that runs for every change, and names an entry. It is bound through the C interface, because GRDB makes
/// a dozen objects for each run.
struct IndexStatement {
    private let statement: Statement
    private let database: Database

    /// Prepares a statement, or takes it from the cache of the connection.
    init(_ sql: String, in database: Database) throws {
        statement = try database.cachedStatement(sql: sql)
        self.database = database
    }

    /// Runs the statement.
    ///
    /// - Parameters:
    ///   - name: The name of the entry.
    ///   - position: The number of the parameter for the name, from 1.
    ///   - bindOthers: Binds the other parameters.
    /// - Throws: `DatabaseError`.
    func run(_ name: EntryName, at position: Int32 = 1, _ bindOthers: (IndexStatement) -> Void = { _ in }) throws {
        let handle = statement.sqliteStatement
        let code = name.withBytes { bytes in
            // Without a copy: SQLite reads the bytes before the statement is reset.
            sqlite3_bind_blob(handle, position, bytes.baseAddress, Int32(bytes.count), nil)
            bindOthers(self)
            let code = sqlite3_step(handle)
            sqlite3_reset(handle)
            sqlite3_clear_bindings(handle)
            return code
        }
        guard code == SQLITE_DONE else {
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: database.lastErrorMessage)
        }
    }

    /// Binds an integer, or NULL, to the parameter of a number.
    func bind(_ value: Int64?, at position: Int32) {
        if let value {
            sqlite3_bind_int64(statement.sqliteStatement, position, value)
        } else {
            sqlite3_bind_null(statement.sqliteStatement, position)
        }
    }
}
