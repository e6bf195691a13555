import Foundation
import GRDB
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeDisk

/// A damaged index costs time, but no store, removal or flush fails because of it: the files have everything.
@Suite(.timeLimited) struct IndexDamageTests {
    private let folder: TemporaryFolder
    private let entry = CacheEntry(data: Data(repeating: 7, count: 300), format: .png)

    init() throws {
        folder = try TemporaryFolder()
    }

    private func key(_ number: Int) -> CacheKey { CacheKey(source: "\(number)") }

    private func fill(_ cache: DiskCache, _ numbers: Range<Int>) async throws {
        for number in numbers { cache.store(entry, for: key(number)) }
        try await cache.flush()
    }

    enum Damage: CaseIterable {
        /// Bytes anywhere in the database or its journal are overwritten.
        case changed
        case truncated
        /// Another file takes the place of the database.
        case replaced
        case deleted
    }

    private func damage(_ layout: CacheLayout, _ damage: Damage, _ random: inout SeededRandom) throws {
        let journal = "\(layout.indexPath)-journal"
        switch damage {
        case .changed:
            for path in [layout.indexPath, journal] { Self.overwrite(path, &random) }
        case .truncated:
            truncate(layout.indexPath, off_t(Int.random(in: 0...5_000, using: &random)))
        case .replaced:
            let other = "\(layout.home)/other"
            try Data((0..<9_000).map { _ in UInt8.random(in: 0...255, using: &random) })
                .write(to: URL(filePath: other))
            rename(other, layout.indexPath)
        case .deleted:
            unlink(layout.indexPath)
            if Bool.random(using: &random) { unlink(journal) }
        }
    }

    private static func overwrite(_ path: String, _ random: inout SeededRandom) {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_size > 0 else { return }
        let bytes = (0..<2_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            let offset = off_t(Int.random(in: 0..<Int(status.st_size), using: &random))
            pwrite(descriptor, bytes, min(bytes.count, Int(status.st_size - offset)), offset)
        }
    }

    @Test(arguments: Damage.allCases) func damageFailsNoFlush(_ kind: Damage) async throws {
        var random = SeededRandom.printed("damage")
        let cache = diskCache(directory: folder.url)
        for round in 0..<25 {
            try await fill(cache, 4 * round..<4 * round + 2)
            try damage(cache.layout, kind, &random)
            try await fill(cache, 4 * round + 2..<4 * round + 4)
            #expect(cache.stats.problem == nil)
        }
        for number in 0..<100 { #expect(try await cache.entry(for: key(number)) != nil) }
        let count = try await cache.usage().count
        #expect(count == 100, "\(cache.stats)")
    }

    @Test func anIndexInPlaceOfAnotherIsRebuiltFromTheFiles() async throws {
        var random = SeededRandom.printed("damage")
        let cache = diskCache(directory: folder.url)
        try await fill(cache, 0..<4)
        #expect(try await cache.usage().count == 4)
        let index = try cache.openIndex()
        // As if another connection had written over it.
        try await index.database.write {
            try $0.execute(sql: "DELETE FROM entry WHERE name = (SELECT MIN(name) FROM entry)")
        }
        #expect(try await cache.usage().count == 3)
        try damage(cache.layout, .replaced, &random)
        #expect(try await cache.usage().count == 4)
        #expect(throws: DatabaseError.self) { try index.markUnreconciled() }
        // The old index can still be read, with any result.
        _ = try? index.isReconciled
    }

    /// Returns the path of the index of a cache that is no longer used. Its last connection, once it has seen a
    /// write-ahead log, would keep others from leaving the log for as long as it lives.
    private func indexOfFormerCache() async throws -> String {
        let cache = diskCache(directory: folder.url)
        try await fill(cache, 0..<4)
        return cache.layout.indexPath
    }

    /// SQLite would use a write-ahead log that exists, and map its index.
    @Test func aWriteAheadLogOfAnEarlierVersionIsLeft() async throws {
        let path = try await indexOfFormerCache()
        do {
            var configuration = Configuration()
            configuration.journalMode = .wal
            // SQLite changes the mode only while nobody uses the file, and does not wait: the cache may still write its
            // index.
            while true {
                do {
                    _ = try DatabaseQueue(path: path, configuration: configuration)
                    break
                } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                    try Task.checkCancellation()
                    await Task.yield()
                }
            }
        }
        // Nor can the next cache change it back until then.
        var next = diskCache(directory: folder.url)
        while true {
            do {
                try await fill(next, 4..<6)
                break
            } catch let error as TintypeError where error.message.contains("database is locked") {
                try Task.checkCancellation()
                next = diskCache(directory: folder.url)
            }
        }
        #expect(try await next.usage().count == 6)
        #expect(!FileManager.default.fileExists(atPath: "\(path)-shm"))
    }

    /// Two caches share the directory and detect the damage at different times.
    @Test(.eachStorage) func damageDuringWritesFailsNoFlush() async throws {
        var random = SeededRandom.printed("damage")
        let caches = (0..<2).map { _ in diskCache(directory: folder.url) }
        try await fill(caches[0], 0..<2)
        for round in 0..<20 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for cache in caches {
                    group.addTask {
                        for number in 0..<3 { try await fill(cache, number..<number + 20) }
                        #expect(try await cache.entry(for: key(round)) != nil)
                    }
                }
                for _ in 0..<4 {
                    try damage(caches[0].layout, Damage.allCases.randomElement(using: &random) ?? .changed, &random)
                    await Task.yield()
                }
                try await group.waitForAll()
            }
        }
        // A later check may still detect the last damage.
        let counts = (try await caches[0].verify().sound.count, try await caches[1].usage().count)
        #expect(counts == (22, 22))
    }

    @Test func aFullDiskIsNoDamage() {
        #expect(!DiskIndex.isDamage(DatabaseError(resultCode: .SQLITE_FULL)))
        #expect(!DiskIndex.isConnectionLost(DatabaseError(resultCode: .SQLITE_FULL)))
    }

    /// Another process may replace the file between the opening of an index and its first write.
    @Test func aReplacedIndexIsALostConnection() async throws {
        let cache = diskCache(directory: folder.url)
        try await fill(cache, 0..<4)
        let index = try cache.openIndex()
        let path = cache.layout.indexPath
        #expect(rename(path, "\(path).old") == 0)
        // SQLite only looks where a page changes: an update to the present value writes none.
        let error = #expect(throws: DatabaseError.self) { try index.removeAll() }
        #expect(error.map(DiskIndex.isConnectionLost) == true && error.map(DiskIndex.isDamage) == false)
        #expect(!DiskIndex.isConnectionLost(DatabaseError(resultCode: .SQLITE_READONLY)))
    }

    @Test(arguments: [false, true]) func onlyTheOwnFilesOfAnIndexAreDeleted(_ isReplaced: Bool) async throws {
        let cache = diskCache(directory: folder.url)
        try await fill(cache, 0..<1)
        let index = try cache.openIndex()
        let (path, other) = (cache.layout.indexPath, "\(cache.layout.home)/other")
        if isReplaced {
            try Data("new".utf8).write(to: URL(filePath: other))
            #expect(rename(other, path) == 0)
        }
        index.delete()
        #expect(FileManager.default.contents(atPath: path) == (isReplaced ? Data("new".utf8) : nil))
    }

    // MARK: An index that cannot be used

    /// Makes every removal from the index fail.
    private func forbidRemoval(_ cache: DiskCache) throws {
        try cache.openIndex().database.write { database in
            try database.execute(
                sql: "CREATE TRIGGER refuse BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'no'); END")
        }
    }

    @Test func evictionsCountEvenIfTheIndexCannotRecordThem() async throws {
        let cache = diskCache(directory: folder.url)
        try await fill(cache, 0..<10)
        try await cache.waitUntilReconciled()
        try forbidRemoval(cache)
        #expect(cache.makeRoom(300))
        let files = folder.files.count { $0.contains("/entries/") }
        #expect(files < 10 && cache.stats.evictions == 10 - files)
    }

    /// Version 1 summed the exact lengths of the files.
    @Test func theTotalOfAnOlderIndexIsCorrected() async throws {
        var layout = diskCache(directory: folder.url).layout
        do {
            let cache = diskCache(directory: folder.url)
            try await fill(cache, 0..<10)
            try await cache.waitUntilReconciled()
            layout = cache.layout
        }
        do {
            let index = try DiskIndex(layout, in: layout.openHome())
            try await index.database.write { database in
                try database.execute(
                    sql: """
                        DROP TRIGGER entryAdded; DROP TRIGGER entryRemoved; DROP TRIGGER entryChanged;
                        CREATE TRIGGER entryAdded AFTER INSERT ON entry BEGIN
                            UPDATE total SET count = count + 1, size = size + NEW.size; END;
                        CREATE TRIGGER entryRemoved AFTER DELETE ON entry BEGIN
                            UPDATE total SET count = count - 1, size = size - OLD.size; END;
                        CREATE TRIGGER entryChanged AFTER UPDATE OF size ON entry WHEN OLD.size <> NEW.size BEGIN
                            UPDATE total SET size = size - OLD.size + NEW.size; END;
                        UPDATE total SET size = (SELECT SUM(size) FROM entry);
                        PRAGMA user_version = 1;
                        """)
            }
            #expect(try index.usage.byteCount < 10 * 4096)
        }
        let cache = diskCache(directory: folder.url)
        #expect(try await cache.usage() == DiskUsage(count: 10, byteCount: 10 * 4096))
        try await cache.remove(key(3))
        try await fill(cache, 10..<12)
        #expect(try await cache.usage() == DiskUsage(count: 11, byteCount: 11 * 4096))
        #expect(try await cache.trim(to: 4096) == DiskUsage(count: 10, byteCount: 10 * 4096))
    }

    @Test func clearCountsWhatItRemovesEvenWithoutAnIndex() async throws {
        let cache = diskCache(directory: folder.url)
        try await fill(cache, 0..<10)
        let usage = try await cache.usage()
        let layout = cache.layout
        unlink(layout.indexPath)
        try FileManager.default.createDirectory(atPath: layout.indexPath, withIntermediateDirectories: true)
        #expect(try await diskCache(directory: folder.url).clear() == usage)
        #expect(folder.files.allSatisfy { !$0.contains("/entries/") })
    }
}
