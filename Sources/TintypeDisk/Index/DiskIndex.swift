import Foundation
import GRDB
import GRDBSQLite
import Synchronization
import TintypeCore

/// The SQLite index of a disk cache: the sizes and times that limits and totals need.
///
/// The files are authoritative. Reads never consult the index. If it is lost or damaged, it is rebuilt from the files
/// step by step. Several processes may write it at once. All calls block the calling thread.
final class DiskIndex: Sendable {
    let database: DatabaseQueue
    private let home: OwnedFolder
    private let identity: FileIdentity
    /// The files of the journal, which exist while the connection is open.
    private let journal: [(name: String, identity: FileIdentity)]
    /// Whether another file has taken the place of this index, and no more is written.
    private let hasEnded = Atomic(false)

    /// Opens the index of a cache. Creates an empty one, to be filled by ``reconcile(_:)``, if there is none or it is
    /// damaged.
    ///
    /// - Parameter home: The open folder of the index.
    /// - Throws: An error of SQLite or a ``DiskFailure``: see ``failure(_:_:)``.
    init(_ layout: CacheLayout, in home: OwnedFolder) throws {
        self.home = home
        Self.displaceForeignFiles(home)
        Self.removeAbandonedJournal(home)
        let former = FileIdentity(layout.indexPath)
        do {
            database = try Self.open(layout)
        } catch let error as DatabaseError where error.isDamage {
            Self.delete(former, in: home)
            database = try Self.open(layout)
        }
        // Another process may already have deleted or replaced it again.
        guard let identity = FileIdentity(layout.indexPath), !Self.hasMoved(database) else {
            Self.keepJournal(database)
            throw IndexDamage()
        }
        self.identity = identity
        journal = Self.journalNames.compactMap { name in home.identity(of: name).map { (name, $0) } }
    }

    deinit {
        guard home.identity(of: CacheLayout.indexName) != identity || !hasItsJournal else { return }
        Self.keepJournal(database)
    }

    /// Waits for the transaction that is running, and removes the journal. All later transactions throw. The connection
    /// stays open, because GRDB ends the process if a closed one is read.
    ///
    /// Call this before the file that took the place of this index is opened. SQLite would apply the journal to it, and
    /// truncate the shared memory, which this connection has mapped.
    func retire() {
        hasEnded.store(true, ordering: .sequentiallyConsistent)
        database.writeWithoutTransaction { _ in }
        for (name, identity) in journal where home.identity(of: name) == identity { home.remove(name) }
    }

    /// Runs `changes` in a transaction.
    ///
    /// - Throws: ``IndexReplaced`` after ``retire()``, and the errors of `changes`.
    func write<Value>(_ changes: (Database) throws -> Value) throws -> Value {
        try database.write { database in
            guard !hasEnded.load(ordering: .sequentiallyConsistent) else { throw IndexReplaced() }
            return try changes(database)
        }
    }

    /// Keeps SQLite from deleting the journal of a file that was moved or replaced. Closing the last connection deletes
    /// the journal by its path, where the journal of a new index may be by then.
    private static func keepJournal(_ database: DatabaseQueue) {
        database.unsafeReentrantWrite { database in
            var keepsJournal: CInt = 1
            sqlite3_file_control(database.sqliteConnection, nil, SQLITE_FCNTL_PERSIST_WAL, &keepsJournal)
        }
    }

    private static func open(_ layout: CacheLayout) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.journalMode = .wal
        // Another process may be writing a batch.
        configuration.busyMode = .timeout(10)
        let database = try connect(layout.indexPath, configuration)
        // The files still contain everything that the index loses in a crash. This cannot be in the configuration,
        // because GRDB's switch to WAL would override it.
        try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = OFF") }
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

    /// Opens the file, and retries for 10 s while SQLite reports that it is busy.
    ///
    /// If several processes create the same file at once, SQLite may refuse all but one the switch to WAL without
    /// waiting for `busyMode`. The switch begins with a reader's lock, and SQLite lets no two readers wait to upgrade
    /// theirs (<https://www.sqlite.org/c3ref/busy_handler.html>).
    private static func connect(_ path: String, _ configuration: Configuration) throws -> DatabaseQueue {
        let deadline = ContinuousClock.now + .seconds(10)
        while true {
            do {
                return try DatabaseQueue(path: path, configuration: configuration)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                guard ContinuousClock.now < deadline else { throw error }
                usleep(10_000)
            }
        }
    }

    /// The tables and triggers.
    ///
    /// `entry.size` is the exact length of a file, to compare it with the file. `total.size` is the sum of
    /// ``DiskUsage/allocatedSize(_:)``. `reconciled` is the number of folders whose entries are known to match the files:
    /// see ``reconcile(_:)``.
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

    /// Whether the open files are still those in the directory. Another process may have rebuilt the index, removed its
    /// journal or removed the directory.
    func isCurrent(_ layout: CacheLayout) -> Bool { FileIdentity(layout.indexPath) == identity && hasItsJournal }

    private var hasItsJournal: Bool { journal.allSatisfy { home.identity(of: $0.name) == $0.identity } }

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
        isDamage(error) || [.SQLITE_IOERR, .SQLITE_CANTOPEN].contains((error as? DatabaseError)?.resultCode)
            // GRDB asks for the size of a journal that it has just seen, and another process may have deleted it.
            || (error as? CocoaError)?.code == .fileReadNoSuchFile
    }

    /// Deletes the files of an index, but none that another process has put in place of them meanwhile.
    private static func delete(_ identity: FileIdentity?, in home: OwnedFolder) {
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

    private static let journalNames = ["-wal", "-shm"].map { CacheLayout.indexName + $0 }

    /// The database, its journal, and the journal that SQLite uses until it has switched to the other one.
    private static let fileNames = [CacheLayout.indexName] + journalNames + [CacheLayout.indexName + "-journal"]

    /// Removes a journal without a database. A connection of this process may still have it mapped, and SQLite would
    /// truncate it for the new database.
    private static func removeAbandonedJournal(_ home: OwnedFolder) {
        let journal = fileNames.dropFirst().filter { home.status(of: $0) != nil }
        // Check in this order: a process that creates the database now creates its journal later.
        guard !journal.isEmpty, home.status(of: CacheLayout.indexName) == nil else { return }
        for name in journal { home.remove(name) }
    }

    /// Displaces links, directories and pipes that have the names of the files. SQLite would follow a link and write to its
    /// target, and fail with the others.
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
    fileprivate func identity(of name: String) -> FileIdentity? { status(of: name).map { FileIdentity($0) } }
}

extension DatabaseError {
    /// Includes `SQLITE_ERROR` and `SQLITE_SCHEMA`: a missing table means that the file is not an index of this cache. Includes
    /// `SQLITE_PROTOCOL` (<https://www.sqlite.org/rescode.html#protocol>): for 10 s, the journal did not become consistent, or a
    /// process that was stopped while it opened the index kept it locked.
    fileprivate var isDamage: Bool {
        [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_SCHEMA, .SQLITE_PROTOCOL].contains(resultCode)
            || extendedResultCode == .SQLITE_IOERR_SHORT_READ
    }
}
