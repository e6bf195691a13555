import Foundation
import GRDB
import TintypeCore

/// The bookkeeping of a disk cache in SQLite: sizes and times, for limits and totals.
///
/// The files are the truth; this is never asked on the way of a read, and is made anew from the files, a step at a time,
/// when it is lost or damaged. Several processes may write it at once. All calls block.
final class DiskIndex: Sendable {
    let database: DatabaseQueue
    private let identity: FileIdentity

    /// Opens the index of a cache; makes it when there is none or it is damaged: empty, and to be filled by
    /// ``reconcile(_:)``.
    ///
    /// - Throws: ``TintypeError/Code/unwritable``.
    init(_ layout: CacheLayout) throws(TintypeError) {
        do {
            database = try Self.open(layout)
        } catch let error as DatabaseError where error.isDamage {
            Self.delete(layout)
            do { database = try Self.open(layout) } catch { throw Self.failure(error, layout) }
        } catch {
            throw Self.failure(error, layout)
        }
        guard let identity = FileIdentity(layout.indexPath) else {
            throw DiskFailure(errno, layout.indexPath).error
        }
        self.identity = identity
    }

    private static func open(_ layout: CacheLayout) throws -> DatabaseQueue {
        try layout.makeFolder(layout.home)
        var configuration = Configuration()
        configuration.journalMode = .wal
        // Another process may be writing a batch.
        configuration.busyMode = .timeout(10)
        let database = try connect(layout.indexPath, configuration)
        // What a crash loses of the index, the files still have. Not in the configuration, which GRDB's switch to WAL
        // would override.
        try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = OFF") }
        try database.write { database in
            guard try Int.fetchOne(database, sql: "PRAGMA user_version") == 0 else { return }
            try database.execute(sql: schema)
            try database.execute(sql: "PRAGMA user_version = 1")
        }
        return database
    }

    /// Of several who make the same file at once, all but one may be refused the switch to WAL, without the wait that
    /// was set: it begins as a reader's lock, and SQLite lets no two wait to make theirs a writer's
    /// (<https://www.sqlite.org/c3ref/busy_handler.html>).
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

    /// Totals are kept by triggers, so that they are right whichever process writes. `reconciled` is the number of
    /// folders whose entries are known to be those of the files: see ``reconcile(_:)``.
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
        CREATE TRIGGER entryAdded AFTER INSERT ON entry BEGIN
            UPDATE total SET count = count + 1, size = size + NEW.size; END;
        CREATE TRIGGER entryRemoved AFTER DELETE ON entry BEGIN
            UPDATE total SET count = count - 1, size = size - OLD.size; END;
        CREATE TRIGGER entryChanged AFTER UPDATE OF size ON entry WHEN OLD.size <> NEW.size BEGIN
            UPDATE total SET size = size - OLD.size + NEW.size; END;
        """

    /// Whether the file that is open still is the one in the directory: another process may have made it anew, or
    /// someone may have removed the directory.
    func isCurrent(_ layout: CacheLayout) -> Bool { FileIdentity(layout.indexPath) == identity }

    /// Takes a damaged index away, unless another process has done so already.
    func delete(_ layout: CacheLayout) {
        if isCurrent(layout) { Self.delete(layout) }
    }

    /// Whether an error says that the index is damaged, so that only making it anew helps.
    static func isDamage(_ error: any Error) -> Bool {
        (error as? DatabaseError)?.isDamage ?? (error is IndexDamage || error is RowDecodingError)
    }

    private static func delete(_ layout: CacheLayout) {
        for suffix in ["", "-wal", "-shm"] { unlink(layout.indexPath + suffix) }
    }

    static func failure(_ error: any Error, _ layout: CacheLayout) -> TintypeError {
        if let error = error as? TintypeError { return error }
        if let failure = error as? DiskFailure { return failure.error }
        return TintypeError(
            .unwritable, stage: .store, "the cache's index cannot be used: \(error)", subject: layout.root,
            underlying: error)
    }
}

extension DatabaseError {
    /// Besides SQLite's own words for it: a table that is not there, which says that the file is not ours.
    fileprivate var isDamage: Bool {
        [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_SCHEMA].contains(resultCode)
    }
}
