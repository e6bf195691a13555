import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeDisk

@Suite(.timeLimited, .eachStorage) struct DiskCacheTests {
    private let folder: TemporaryFolder
    private let clock = ManualClock()

    init() throws {
        folder = try TemporaryFolder()
    }

    private func cache(_ limits: DiskLimits = DiskLimits()) -> DiskCache {
        diskCache(directory: folder.url, limits: limits, time: clock.timeSource)
    }

    private func entry(_ byte: UInt8, count: Int = 100) -> CacheEntry {
        CacheEntry(data: Data(repeating: byte, count: count), format: .png, metadata: Data([byte]), created: clock.date)
    }

    private func key(_ name: String) -> CacheKey { CacheKey(source: name) }

    /// The size that limits count for an entry.
    private func size(_ entry: CacheEntry, _ name: String = "0") -> Int {
        let length = EntryHeader.Lengths(of: entry, for: key(name)).file
        return CacheStorage.current == .files
            ? DiskUsage.allocatedSize(length) : SegmentLayout.allocatedSize(length)
    }

    // MARK: Entries

    @Test func anEntryIsReadByAnotherCache() async throws {
        let first = cache()
        first.store(entry(7), for: key("a"))
        try await first.flush()
        let read = try #require(try await cache().entry(for: key("a")))
        #expect(read.data == entry(7).data && read.format == .png && read.metadata == Data([7]))
        #expect(read.created == clock.date)
    }

    @Test(arguments: [false, true])
    func storingAnEntryAgainKeepsItsExtendedData(flushes: Bool) async throws {
        let cache = cache()
        cache.store(entry(1), for: key("a"))
        #expect(try await cache.amend(key("a")) { $0.extended = Data("mine".utf8) })
        if flushes { try await cache.flush() }
        cache.store(entry(2), for: key("a"))
        #expect(try await cache.entry(for: key("a"))?.extended == Data("mine".utf8))
        try await cache.flush()
        let read = try #require(try await self.cache().entry(for: key("a")))
        #expect(read.extended == Data("mine".utf8) && read.data == entry(2).data)
    }

    @Test func extendedDataEndsWithAnAmendmentOrARemoval() async throws {
        let cache = cache()
        var extended = entry(1)
        extended.extended = Data("mine".utf8)
        cache.store(extended, for: key("a"))
        cache.store(extended, for: key("b"))
        try await cache.flush()
        #expect(try await cache.amend(key("a")) { $0.extended = Data() })
        try await cache.remove(key("b"))
        for name in ["a", "b"] { cache.store(entry(2), for: key(name)) }
        try await cache.flush()
        for name in ["a", "b"] { #expect(try await self.cache().entry(for: key(name))?.extended == Data()) }
    }

    @Test func aReadSeesAPendingEntry() async throws {
        let cache = cache()
        cache.store(entry(1), for: key("a"))
        #expect(try await cache.entry(for: key("a"))?.data == entry(1).data)
    }

    @Test func theLastStoreOfAKeyWins() async throws {
        let cache = cache()
        for byte in UInt8(1)...20 { cache.store(entry(byte), for: key("a")) }
        try await cache.flush()
        #expect(try await self.cache().entry(for: key("a"))?.data == entry(20).data)
        #expect(try await cache.usage().count == 1)
    }

    @Test func aRemovedEntryIsGone() async throws {
        let cache = cache()
        cache.store(entry(1), for: key("a"))
        try await cache.flush()
        try await cache.remove(key("a"))
        #expect(try await cache.entry(for: key("a")) == nil)
        #expect(try await cache.usage() == DiskUsage(count: 0, byteCount: 0))
    }

    @Test func anEntryRemovedBeforeItIsWrittenStaysGone() async throws {
        let cache = cache()
        for number in 0..<50 {
            cache.store(entry(1), for: key("\(number)"))
            try await cache.remove(key("\(number)"))
        }
        try await cache.flush()
        for number in 0..<50 { #expect(try await self.cache().entry(for: key("\(number)")) == nil) }
    }

    @Test func aMissCreatesNoFiles() async throws {
        #expect(try await cache().entry(for: key("a")) == nil)
        #expect(try await cache().usage().count == 0)
        #expect(folder.files.isEmpty)
    }

    @Test func filesOfAnotherVersionAreLeftAlone() async throws {
        let future = folder.url.appending(path: "v3/entries")
        try FileManager.default.createDirectory(at: future, withIntermediateDirectories: true)
        try Data([1]).write(to: future.appending(path: "x"))
        let cache = cache()
        cache.store(entry(1), for: key("a"))
        _ = try await cache.clear()
        #expect(folder.files.contains { $0.hasSuffix("v3/entries/x") })
    }

    // MARK: The index

    @Test(arguments: ["lost", "damaged"]) func theIndexIsRebuiltFromTheFiles(_ how: String) async throws {
        let first = cache()
        for number in 0..<10 { first.store(entry(1), for: key("\(number)")) }
        let before = try await first.usage()
        for file in folder.files where file.contains("index.sqlite") {
            if how == "lost" {
                try FileManager.default.removeItem(atPath: file)
            } else {
                try Data(repeating: 0x5A, count: 5000).write(to: URL(filePath: file))
            }
        }
        #expect(try await cache().usage() == before)
    }

    @Test func entriesAreListedMostRecentlyUsedFirst() async throws {
        let cache = cache()
        for name in ["a", "b", "c"] {
            cache.store(entry(1), for: key(name))
            try await cache.flush()
            clock.advance(by: .seconds(10))
        }
        _ = try await cache.entry(for: key("a"))
        let names = Shared<[String]>([])
        try await cache.forEachEntry { entry in names.withLock { $0.append(entry.key.source) } }
        #expect(names.now == ["a", "c", "b"])
    }

    @Test func aLongListingIsComplete() async throws {
        let cache = cache()
        for number in 0..<600 {
            cache.store(entry(1), for: key("\(number)"))
            if number % 100 == 99 {
                try await cache.flush()
                clock.advance(by: .seconds(1))
            }
        }
        let listed = Shared<[DiskEntryFacts]>([])
        try await cache.forEachEntry { entry in listed.withLock { $0.append(entry) } }
        #expect(Set(listed.now.map(\.key.source)) == Set((0..<600).map { "\($0)" }) && listed.now.count == 600)
        #expect(listed.now.map(\.accessed) == listed.now.map(\.accessed).sorted(by: >))
    }

    // MARK: Limits

    @Test func theSizeLimitEvictsTheLeastRecentlyUsedEntries() async throws {
        let cache = cache(DiskLimits(byteCount: 6 * size(entry(1, count: 500)) - 1))
        for number in 0..<20 {
            cache.store(entry(1, count: 500), for: key("\(number)"))
            try await cache.flush()
            clock.advance(by: .seconds(1))
        }
        #expect(try await cache.usage() == DiskUsage(count: 5, byteCount: 5 * size(entry(1, count: 500))))
        #expect(try await cache.entry(for: key("0")) == nil)
        #expect(try await cache.entry(for: key("19")) != nil)
        let files = folder.files.filter { $0.contains("/entries/") }
        #expect(files.count == (CacheStorage.current == .files ? 5 : 0))
    }

    @Test func aUseProtectsAnEntryFromEviction() async throws {
        let cache = cache(DiskLimits(byteCount: 3 * size(entry(1, count: 500))))
        for name in ["a", "b", "c"] {
            cache.store(entry(1, count: 500), for: key(name))
            try await cache.flush()
            clock.advance(by: .seconds(1))
        }
        _ = try await cache.entry(for: key("a"))
        clock.advance(by: .seconds(1))
        for name in ["d", "e"] {
            cache.store(entry(1, count: 500), for: key(name))
            try await cache.flush()
        }
        #expect(try await cache.entry(for: key("a")) != nil)
        #expect(try await cache.entry(for: key("b")) == nil)
    }

    @Test func anEntryUnusedForAWeekIsRemovedByTheNextWrite() async throws {
        let cache = cache()
        cache.store(entry(1), for: key("old"))
        try await cache.flush()
        clock.advance(by: .seconds(8 * 24 * 3600))
        cache.store(entry(2), for: key("new"))
        try await cache.flush()
        #expect(try await cache.entry(for: key("old")) == nil)
        #expect(try await cache.entry(for: key("new")) != nil)
    }

    @Test func trimAndClear() async throws {
        let cache = cache()
        for number in 0..<10 { cache.store(entry(1, count: 1000), for: key("\(number)")) }
        let before = try await cache.usage()
        let removed = try await cache.trim(to: before.byteCount / 2)
        #expect(removed == DiskUsage(count: 5, byteCount: 5 * size(entry(1, count: 1000))))
        #expect(try await cache.clear().count == 5)
        #expect(try await cache.usage() == DiskUsage(count: 0, byteCount: 0))
        #expect(
            folder.files.allSatisfy { file in
                ["index.sqlite", "/presence", "/writers/"].contains { file.contains($0) }
            })
        cache.store(entry(1), for: key("again"))
        try await cache.flush()
        #expect(try await self.cache().entry(for: key("again")) != nil)
    }

    // MARK: Write errors

    @Test func aDirectoryThatCannotBeCreatedIsReported() async throws {
        let file = folder.url.appending(path: "file")
        try Data().write(to: file)
        let cache = diskCache(directory: file.appending(path: "below"))
        cache.store(entry(1), for: key("a"))
        do {
            try await cache.flush()
            Issue.record("flush() did not throw")
        } catch {
            #expect(error.code == .unwritable)
            #expect(error.subject?.contains("file/below") == true)
        }
        // The error is reported once; the cache continues.
        try await cache.flush()
        #expect(try await cache.entry(for: key("a")) == nil)
    }

    @Test func severalCachesShareADirectory() async throws {
        let caches = (0..<4).map { _ in cache() }
        for number in 0..<200 { caches[number % 4].store(entry(UInt8(number)), for: key("\(number)")) }
        for cache in caches { try await cache.flush() }
        #expect(try await caches[0].usage().count == 200)
        for number in 0..<200 {
            #expect(try await caches[(number + 1) % 4].entry(for: key("\(number)"))?.data == entry(UInt8(number)).data)
        }
    }
}
