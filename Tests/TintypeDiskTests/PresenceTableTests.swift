import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeDisk

/// The table of a cache on disk. Whatever happens to it, every entry is found, or at worst forgotten.
@Suite(.timeLimited) struct PresenceTableTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func cache(_ limits: DiskLimits = DiskLimits()) -> DiskCache {
        diskCache(directory: folder.url, limits: limits)
    }
    private func key(_ number: Int) -> CacheKey { CacheKey(source: "\(number)", rendition: number % 2 == 0 ? "" : "r") }
    private func entry(_ number: Int) -> CacheEntry {
        CacheEntry(data: Data("\(number)".utf8), format: .png)
    }

    private func fill(_ cache: DiskCache, _ numbers: Range<Int>) async throws {
        for number in numbers { cache.store(entry(number), for: key(number)) }
        try await cache.flush()
    }

    /// The entries of some numbers that a cache finds.
    private func found(_ cache: DiskCache, _ numbers: Range<Int>) -> Int {
        numbers.count { number in
            guard let entry = cache.entry(for: key(number)) else { return false }
            #expect(entry.data == self.entry(number).data)
            return true
        }
    }

    private var path: String { "\(cache().layout.home)/presence" }

    /// Removes the file of an entry without the cache, and returns a closure that puts it back.
    private func hide(_ number: Int) -> () -> Void {
        let (path, hidden) = (cache().path(for: key(number)), "\(folder.path)/hidden")
        #expect(rename(path, hidden) == 0)
        return { #expect(rename(hidden, path) == 0) }
    }

    // MARK: Misses

    /// Once a key is not in the table, no one looks for its file.
    @Test func aMissOpensNoFile() async throws {
        let (writer, reader) = (cache(), cache())
        try await fill(writer, 0..<4)
        try await writer.waitForPresence()
        #expect(found(reader, 0..<4) == 4)
        let restore = hide(2)
        #expect(found(reader, 2..<3) == 0)
        restore()
        #expect(found(reader, 0..<4) == 3 && found(cache(), 0..<4) == 3)
        #expect(try await !reader.contains(key(2)))
        // The bookkeeping has the file still, and counts and evicts it.
        #expect(try await writer.usage().count == 4)
        #expect(try await writer.verify().sound.count == 4)
        #expect(found(reader, 0..<4) == 4)
    }

    @Test func cachesThatShareADirectorySeeEachOthersEntriesAtOnce() async throws {
        let caches = (0..<3).map { _ in cache() }
        try await fill(caches[0], 0..<1)
        for cache in caches { try await cache.waitForPresence() }
        for number in 1..<60 {
            #expect(found(caches[(number + 1) % 3], number..<number + 1) == 0)
            try await fill(caches[number % 3], number..<number + 1)
            #expect(found(caches[(number + 1) % 3], number..<number + 1) == 1)
            try await caches[(number + 2) % 3].remove(key(number - 1))
            #expect(found(caches[number % 3], number - 1..<number) == 0)
            try await fill(caches[number % 3], number - 1..<number)
            #expect(found(caches[(number + 1) % 3], number - 1..<number) == 1)
        }
    }

    // MARK: Growth

    @Test func theTableGrowsWhileOthersMapIt() async throws {
        let (writer, reader) = (cache(), cache())
        try await fill(writer, 0..<1)
        try await writer.waitForPresence()
        #expect(found(reader, 0..<1) == 1)
        let former = try #require(writer.state.withLock { $0.presence })
        for start in stride(from: 1, to: 1_500, by: 100) { try await fill(writer, start..<start + 100) }
        try await writer.waitForPresence()
        #expect(former.isRetired)
        #expect(try Data(contentsOf: URL(filePath: path)).count > 16_000)
        #expect(found(reader, 0..<1_501) == 1_501 && found(cache(), 0..<1_501) == 1_501)
        try await fill(reader, 2_000..<2_010)
        #expect(found(writer, 2_000..<2_010) == 10)
    }

    /// The bookkeeping, which decides on the size of the next table, is slower than the writer.
    @Test(.eachStorage) func aBurstOfEntriesForgetsNone() async throws {
        let cache = cache()
        try await fill(cache, 0..<5_000)
        #expect(found(cache, 0..<5_000) == 5_000 && found(self.cache(), 0..<5_000) == 5_000)
        try await cache.waitForPresence()
        #expect(found(cache, 0..<5_000) == 5_000 && found(self.cache(), 0..<5_000) == 5_000)
    }

    /// As when several processes write at once, and none has replaced the table yet.
    @Test(.eachStorage) func aTableThatHadNoRoomIsNotTrustedUntilItIsFilledAgain() async throws {
        let cache = cache()
        try await fill(cache, 0..<10)
        try await cache.waitForPresence()
        let table = try #require(cache.state.withLock { $0.presence })
        for number in 0..<3_000 { table.insert(CacheKey(source: "other \(number)")) }
        #expect(!table.isComplete && found(cache, 0..<10) == 10)
        try await fill(cache, 10..<11)
        try await cache.waitForPresence()
        #expect(found(cache, 0..<11) == 11 && table.isRetired)
    }

    /// A writer may displace a key in a table that another process replaces, before its word is copied.
    @Test(.eachStorage) func aTableWhoseFormerLostAKeyIsNotTrusted() async throws {
        let cache = cache()
        try await fill(cache, 0..<10)
        try await cache.waitForPresence()
        _ = try await cache.usage()
        let former = try #require(cache.state.withLock { $0.presence })
        let next = try #require(
            former.replace(
                bucketCount: 128, copiesFiles: true, in: try WriterFolders(cache.layout), isLive: { _ in true }))
        #expect(former.isRetired && next.isComplete)
        for number in 0..<3_000 { former.insert(CacheKey(source: "other \(number)")) }
        // As before the replacement, which maintenance may have noticed; and as if a job filled the table already, so
        // that none begins.
        cache.state.withLock { ($0.presence, $0.isFillingPresence) = (former, true) }
        for number in 0..<50 { cache.insertKey(CacheKey(source: "displacing \(number)")) }
        #expect(cache.state.withLock { $0.presence }?.identity == next.identity && !next.isComplete)
        cache.state.withLock { $0.isFillingPresence = false }
        #expect(found(cache, 0..<10) == 10)
    }

    /// Removed entries stay in the table until it is full or someone asks for them.
    @Test func theTableStaysSmallIfItsEntriesComeAndGo() async throws {
        let cache = cache(DiskLimits(count: 40))
        for start in stride(from: 0, to: 2_000, by: 50) { try await fill(cache, start..<start + 50) }
        try await cache.waitForPresence()
        #expect(try Data(contentsOf: URL(filePath: path)).count <= 256 + 512 * 64)
        let usage = try await cache.usage()
        #expect(usage.count == 40 && found(self.cache(DiskLimits(count: 40)), 0..<2_000) == 40)
    }

    @Test(.eachStorage) func clearingEmptiesTheTable() async throws {
        let (cache, other) = (cache(), cache())
        try await fill(cache, 0..<700)
        #expect(found(other, 0..<700) == 700)
        _ = try await cache.clear()
        try await cache.waitForPresence()
        #expect(try Data(contentsOf: URL(filePath: path)).count == 256 + 128 * 128)
        #expect(found(other, 0..<700) == 0)
        try await fill(other, 0..<10)
        #expect(found(cache, 0..<10) == 10)
    }

    // MARK: Loss and damage

    /// Also the state after an update from a version that had no table.
    @Test func aLostTableIsFilledFromTheFiles() async throws {
        try await fill(cache(), 0..<300)
        unlink(path)
        let (reader, writer) = (cache(), cache())
        #expect(found(reader, 0..<300) == 300)
        try await fill(writer, 300..<301)
        try await writer.waitForPresence()
        #expect(found(writer, 0..<301) == 301 && found(cache(), 0..<301) == 301)
        reader.dropStaleEntriesHandle()
        guard case .absent? = reader.state.withLock({ $0.presence })?.answer(for: key(999)) else {
            Issue.record("the new table is not used")
            return
        }
        #expect(found(reader, 0..<301) == 301)
    }

    /// A process that created a table was killed before it had filled it, or after it had marked the former as
    /// replaced.
    @Test(arguments: [false, true]) func aTableThatWasNotFilledIsFilledByTheNextProcess(isRetired: Bool) async throws {
        let writer = cache()
        try await fill(writer, 0..<50)
        try await writer.waitForPresence()
        if isRetired {
            let table = try #require(writer.state.withLock { $0.presence })
            _ = table.replace(
                bucketCount: 128, copiesFiles: false, in: try WriterFolders(writer.layout), isLive: { _ in true })
            #expect(table.isRetired)
        } else {
            unlink(path)
            #expect(PresenceTable.make(in: try WriterFolders(writer.layout)) != nil)
            // Otherwise it notices after 256 lookups, or with the next entry that it writes.
            writer.dropStaleEntriesHandle()
        }
        #expect(found(writer, 0..<50) == 50 && found(cache(), 0..<50) == 50)
        let next = cache()
        try await fill(next, 50..<60)
        try await next.waitForPresence()
        #expect(found(next, 0..<60) == 60 && found(writer, 0..<60) == 60)
    }

    enum Obstacle: CaseIterable { case empty, foreign, truncated, sparse, retired, directory, link, pipe, open }

    @Test(arguments: Obstacle.allCases) func whatIsInPlaceOfTheTableIsReplaced(_ obstacle: Obstacle) async throws {
        try await fill(cache(), 0..<20)
        let intact = try Data(contentsOf: URL(filePath: path))
        unlink(path)
        switch obstacle {
        case .empty: try Data().write(to: URL(filePath: path))
        case .foreign: try Data(repeating: 0x5A, count: 9_000).write(to: URL(filePath: path))
        case .truncated: try intact.dropLast().write(to: URL(filePath: path))
        case .sparse:
            try intact.prefix(256).write(to: URL(filePath: path))
            #expect(truncate(path, off_t(intact.count)) == 0)
        case .retired:
            var retired = intact
            retired[PresenceHeader.retiredOffset] = 1
            try retired.write(to: URL(filePath: path))
        case .directory:
            try FileManager.default.createDirectory(atPath: "\(path)/mine", withIntermediateDirectories: true)
        case .link: #expect(symlink("/nowhere", path) == 0)
        case .pipe: #expect(mkfifo(path, 0o600) == 0)
        case .open:
            try intact.write(to: URL(filePath: path))
            #expect(chmod(path, 0o666) == 0)
        }
        #expect(found(cache(), 0..<20) == 20)
        let cache = cache()
        try await fill(cache, 20..<30)
        try await cache.waitForPresence()
        #expect(cache.stats.problem == nil)
        #expect(found(cache, 0..<30) == 30 && found(self.cache(), 0..<30) == 30)
        if obstacle == .directory { #expect(folder.directories.contains { $0.contains("presence.displaced-") }) }
    }

    /// A damaged table may forget entries, whose files stay in the bookkeeping, and never changes what one contains.
    @Test(.eachStorage) func noChangedBitCausesMoreThanAMiss() async throws {
        let writer = cache()
        try await fill(writer, 0..<100)
        try await writer.waitForPresence()
        let intact = try Data(contentsOf: URL(filePath: path))
        var random = SeededRandom.printed("presence")
        for _ in 0..<1_500 {
            var bytes = intact
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let range = Bool.random(using: &random) ? 0..<256 : 0..<bytes.count
                bytes[Int.random(in: range, using: &random)] ^= 1 << UInt8.random(in: 0...7, using: &random)
            }
            // Renamed, because a mapped file must not be truncated.
            try bytes.write(to: URL(filePath: "\(path).new"))
            #expect(rename("\(path).new", path) == 0)
            #expect(found(cache(), 0..<5) >= 2)
        }
        #expect(writer.stats.damaged == 0)
        #expect(try await cache().verify().sound.count == 100)
        try await fill(writer, 0..<101)
        #expect(found(writer, 0..<101) == 101)
    }

    @Test func anEntryOfAWriterThatWasKilledBeforeItsInsertionIsFound() async throws {
        let cache = cache()
        try await fill(cache, 0..<5)
        try await cache.waitForPresence()
        let other = diskCache(directory: folder.url.appending(path: "other"))
        try await fill(other, 5..<6)
        try FileManager.default.createDirectory(
            at: URL(filePath: cache.path(for: key(5))).deletingLastPathComponent(), withIntermediateDirectories: true)
        #expect(rename(other.path(for: key(5)), cache.path(for: key(5))) == 0)
        #expect(found(cache, 5..<6) == 0)
        try Data().write(to: URL(filePath: "\(cache.layout.writersFolder)/\(UUID().uuidString)"))
        #expect(try await self.cache().usage().count == 6)
        #expect(found(cache, 0..<6) == 6)
    }
}

extension TemporaryFolder {
    /// The paths of all folders below the folder.
    fileprivate var directories: [String] {
        (FileManager.default.enumerator(atPath: path)?.allObjects as? [String] ?? []).filter { name in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: "\(path)/\(name)", isDirectory: &isFolder)
                && isFolder.boolValue
        }
    }
}

extension DiskCache {
    /// Waits until the table of presence contains every entry.
    func waitForPresence() async throws {
        _ = try await contains(CacheKey(source: "any"))
        while state.withLock({ state in
            state.isFillingPresence || state.presence?.isComplete != true || state.presence?.isRetired == true
        }) {
            try Task.checkCancellation()
            dropStaleEntriesHandle()
            await Task.yield()
        }
    }
}
