import Foundation
import GRDB
import GRDBSQLite
import TintypeCore

/// The SQLite index of a disk cache: the sizes and times that limits and totals need.
///
/// The files are authoritative. Reads never consult the index. If it is lost or damaged, it is rebuilt from the files
/// step by step. Several processes may write it at once. All calls block the calling thread.
final class DiskIndex: Sendable {
    let database: DatabaseQueue
    private let home: OwnedFolder
    private let identity: InodeIdentity

    /// Opens the index of a cache. Creates an empty one, to be filled by ``reconcile(_:)``, if there is none or it is
    /// damaged.
    ///
    /// - Parameter home: The open folder of the index.
    /// - Throws: An error of SQLite or a ``DiskFailure``: see ``failure(_:_:)``.
    init(_ layout: CacheLayout, in home: OwnedFolder) throws {
        self.home = home
        Self.displaceForeignFiles(home)
        Self.removeAbandonedJournal(home)
        let former = InodeIdentity(layout.indexPath)
        do {
            database = try Self.open(layout)
        } catch let error as DatabaseError where error.isDamage {
            Self.delete(former, in: home)
            database = try Self.open(layout)
        }
        // Another process may already have deleted or replaced it again.
        guard let identity = InodeIdentity(layout.indexPath), !Self.hasMoved(database) else { throw IndexDamage() }
        self.identity = identity
    }

    private static func open(_ layout: CacheLayout) throws -> DatabaseQueue {
        var configuration = Configuration()
        // Another process may be writing a batch.
        configuration.busyMode = .timeout(10)
        configuration.prepareDatabase { database in
            // A write-ahead log would map a file, and a process ends that reads where another has truncated it.
            try database.execute(sql: "PRAGMA journal_mode = DELETE")
            // The files still contain everything that the index loses in a crash.
            try database.execute(sql: "PRAGMA synchronous = OFF")
        }
        let database = try DatabaseQueue(path: layout.indexPath, configuration: configuration)
        try database.write { database in
            switch try Int.fetchOne(database, sql: "PRAGMA user_version") {
            case 0: try database.execute(sql: schema)
            case 1: try database.execute(sql: migration)
            default: return
            }
            try database.execute(sql: "PRAGMA user_version = 2")
        }
        return database
    }

    /// The tables and triggers.
    ///
    /// `entry.size` is the exact length of a file, to compare it with the file. `total.size` is the sum of
    /// ``DiskUsage/allocatedSize(_:)``. `reconciled` is the number of folders whose entries are known to match the
    /// files: see ``reconcile(_:)``.
    static let schema = """
        CREATE TABLE entry (
            name BLOB PRIMARY KEY, size INTEGER NOT NULL, created INTEGER NOT NULL, modified INTEGER NOT NULL,
            changed INTEGER NOT NULL, accessed INTEGER NOT NULL, expires INTEGER
        ) WITHOUT ROWID;
        CREATE INDEX entryByExpiry ON entry (expires) WHERE expires IS NOT NULL;
        CREATE TABLE total (
            id INTEGER PRIMARY KEY CHECK (id = 1), count INTEGER NOT NULL, size INTEGER NOT NULL,
            reconciled INTEGER NOT NULL);
        INSERT INTO total VALUES (1, 0, 0, 0);
        \(triggers)
        """

    /// Triggers maintain the totals, so that they are right whichever process writes.
    private static let triggers = """
        CREATE TRIGGER entryAdded AFTER INSERT ON entry BEGIN
            UPDATE total SET count = count + 1, size = size + \(allocated("NEW.size")); END;
        CREATE TRIGGER entryRemoved AFTER DELETE ON entry BEGIN
            UPDATE total SET count = count - 1, size = size - \(allocated("OLD.size")); END;
        CREATE TRIGGER entryChanged AFTER UPDATE OF size ON entry WHEN OLD.size <> NEW.size BEGIN
            UPDATE total SET size = size - \(allocated("OLD.size")) + \(allocated("NEW.size")); END;
        """

    /// Replaces the triggers and the total of version 1, which summed the exact lengths. O(number of entries).
    private static let migration = """
        DROP TRIGGER entryAdded; DROP TRIGGER entryRemoved; DROP TRIGGER entryChanged;
        \(triggers)
        UPDATE total SET size = (SELECT COALESCE(SUM(\(allocated("size"))), 0) FROM entry);
        """

    /// ``DiskUsage/allocatedSize(_:)`` of a column.
    private static func allocated(_ column: String) -> String {
        "((\(column) + \(DiskUsage.blockSize - 1)) / \(DiskUsage.blockSize) * \(DiskUsage.blockSize))"
    }

    /// Whether the open file is still the one in the directory. Another process may have rebuilt the index or removed
    /// the directory.
    func isCurrent(_ layout: CacheLayout) -> Bool { InodeIdentity(layout.indexPath) == identity }

    /// Deletes a damaged index, unless another process has done so already.
    func delete() {
        Self.delete(identity, in: home)
    }

    /// Whether an error means that the index is damaged and must be rebuilt.
    static func isDamage(_ error: any Error) -> Bool {
        (error as? DatabaseError)?.isDamage ?? (error is IndexDamage || error is RowDecodingError)
    }

    /// Whether a new connection may succeed after an error: the index is damaged, or its files have changed under the
    /// connection.
    static func isConnectionLost(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return isDamage(error) }
        // SQLite writes no file that another one has replaced, as may happen between the opening and the first write.
        return error.isDamage || [.SQLITE_IOERR, .SQLITE_CANTOPEN].contains(error.resultCode)
            || error.extendedResultCode == .SQLITE_READONLY_DBMOVED
    }

    /// Deletes the files of an index, but none that another process has put in place of them meanwhile.
    private static func delete(_ identity: InodeIdentity?, in home: OwnedFolder) {
        let files = fileNames.map { ($0, home.identity(of: $0)) }
        guard let identity, files.first?.1 == identity else { return }
        for (name, identity) in files where identity != nil && home.identity(of: name) == identity { home.remove(name) }
    }

    /// Whether the open file is no longer the one with its path.
    private static func hasMoved(_ database: DatabaseQueue) -> Bool {
        database.unsafeReentrantWrite { database in
            var hasMoved: CInt = 0
            let status = sqlite3_file_control(database.sqliteConnection, nil, SQLITE_FCNTL_HAS_MOVED, &hasMoved)
            return status == SQLITE_OK && hasMoved != 0
        }
    }

    /// The database and its journal. The other two are those of a write-ahead log, which SQLite would use if they
    /// existed.
    private static let fileNames = ["", "-journal", "-wal", "-shm"].map { CacheLayout.indexName + $0 }

    /// Removes a journal without a database. SQLite would find its contents in the new database.
    private static func removeAbandonedJournal(_ home: OwnedFolder) {
        let journal = fileNames.dropFirst().filter { home.status(of: $0) != nil }
        // Check in this order: a process that creates the database now creates its journal later.
        guard !journal.isEmpty, home.status(of: CacheLayout.indexName) == nil else { return }
        for name in journal { home.remove(name) }
    }

    /// Displaces links, directories and pipes that have the names of the files. SQLite would follow a link and write to
    /// its target, and fail with the others.
    private static func displaceForeignFiles(_ home: OwnedFolder) {
        for name in fileNames where home.status(of: name).map({ $0.st_mode & S_IFMT != S_IFREG }) ?? false {
            _ = home.displace(name)
        }
    }

    /// Returns the error to throw for an error of SQLite or the file system.
    static func failure(_ error: any Error, _ layout: CacheLayout) -> TintypeError {
        if let error = error as? TintypeError { return error }
        if let failure = error as? DiskFailure { return failure.error }
        let code = (error as? DatabaseError).map { " (\($0.extendedResultCode.rawValue))" } ?? ""
        return TintypeError(
            .unwritable, stage: .store, "cannot use the cache index: \(error)\(code)", subject: layout.root,
            underlying: error)
    }
}

extension OwnedFolder {
    /// Returns the identity of the file with a name; `nil` if there is none.
    fileprivate func identity(of name: String) -> InodeIdentity? { status(of: name).map { InodeIdentity($0) } }
}

extension DatabaseError {
    /// Includes `SQLITE_ERROR` and `SQLITE_SCHEMA`: a missing table means that the file is not an index of this cache.
    fileprivate var isDamage: Bool {
        [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_SCHEMA].contains(resultCode)
            || extendedResultCode == .SQLITE_IOERR_SHORT_READ
    }
}
