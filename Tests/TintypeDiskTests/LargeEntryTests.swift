import Foundation
import TestSupport
import Testing
import TintypeCore

@testable import TintypeDisk

/// Entries whose bytes are in a spill file, like those of large response bodies.
@Suite(.timeLimited) struct LargeEntryTests {
    private let folder: TemporaryFolder
    private let key = CacheKey(source: "large")

    init() throws {
        folder = try TemporaryFolder()
    }

    private func cache(_ limits: DiskLimits = DiskLimits()) -> DiskCache {
        diskCache(directory: folder.url, limits: limits)
    }

    private func file(_ parts: [(offset: Int, bytes: Data)]) throws -> SpillFile {
        let file = try SpillFile(in: folder.url.path(percentEncoded: false))
        for part in parts { try file.write(part.bytes, at: part.offset) }
        return file
    }

    private func entry(_ file: SpillFile, count: Int) throws -> CacheEntry {
        var entry = CacheEntry(data: try file.map(count), format: .png, metadata: Data([1, 2, 3]))
        entry.file = file
        return entry
    }

    @Test(arguments: [1, 100, 1 << 20, (1 << 20) + 1, 3_000_000])
    func theBytesOfASpillFileAreStored(_ count: Int) async throws {
        let bytes = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
        let first = cache()
        first.store(try entry(file([(0, bytes)]), count: count), for: key)
        try await first.flush()
        let read = try #require(try await cache().entry(for: key))
        #expect(read.data == bytes && read.metadata == Data([1, 2, 3]) && read.format == .png)
    }

    /// The file is sparse, so that creating it writes almost nothing.
    @Test func anEntryLargerThanTheMemoryForPendingWritesIsStored() async throws {
        let count = 300 << 20
        let cache = cache()
        let end = Data("the end".utf8)
        cache.store(try entry(file([(0, Data("begin".utf8)), (count - end.count, end)]), count: count), for: key)
        try await cache.flush()
        #expect(cache.stats.refusals == 0)
        let read = try #require(try await cache.entry(for: key)).data
        #expect(read.count == count && read.prefix(5) == Data("begin".utf8) && read.suffix(end.count) == end)
    }

    /// A body that arrives in the folder of a cache, in two pieces.
    private func arrived(_ bytes: Data, in cache: DiskCache) throws -> SpillFile {
        let file = try #require(cache.makeSpillFile(for: bytes.count))
        try file.write(bytes.prefix(10), at: 0)
        try file.write(bytes.dropFirst(10), at: 10)
        return file
    }

    /// The size of the file of an entry, in bytes.
    private func fileSize(_ key: CacheKey) throws -> Int {
        let path = CacheLayout(folder.url).entriesFolder + "/" + EntryName(key).path
        return try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    }

    /// A copy would begin right after a header of a few hundred bytes.
    @Test func aBodyInTheFolderOfTheCacheBecomesTheEntry() async throws {
        let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
        let first = cache()
        first.store(try entry(arrived(bytes, in: first), count: bytes.count), for: key)
        try await first.flush()
        #expect(try fileSize(key) == SpillFile.bytesOffset + bytes.count)
        let read = try #require(try await cache().entry(for: key))
        #expect(read.data == bytes && read.metadata == Data([1, 2, 3]) && read.format == .png)
        let usage = try await first.usage()
        #expect(usage.byteCount == DiskUsage.allocatedSize(SpillFile.bytesOffset + bytes.count))
        // A scan of the directory counts the same.
        #expect(try await first.verify().sound.byteCount == usage.byteCount)
    }

    @Test func aBodyThatIsNotStoredGetsNoFile() throws {
        let cache = cache(DiskLimits(byteCount: 10_000))
        #expect(cache.makeSpillFile(for: 10_001) == nil && cache.makeSpillFile(for: 10_000) != nil)
    }

    @Test func aBodyBecomesOnlyOneEntry() async throws {
        let (bytes, cache, other) = (Data((0..<50_000).map { UInt8(truncatingIfNeeded: $0) }), cache(), "other")
        let file = try arrived(bytes, in: cache)
        for source in [key.source, other] {
            cache.store(try entry(file, count: bytes.count), for: CacheKey(source: source))
            try await cache.flush()
        }
        #expect(try fileSize(key) > fileSize(CacheKey(source: other)))
        for source in [key.source, other] {
            #expect(try await self.cache().entry(for: CacheKey(source: source))?.data == bytes)
        }
    }

    /// Only what was written to the file becomes an entry as it is.
    @Test func aPartOfABodyIsCopied() async throws {
        let (bytes, cache) = (Data((0..<50_000).map { UInt8(truncatingIfNeeded: $0) }), cache())
        cache.store(try entry(arrived(bytes, in: cache), count: 40_000), for: key)
        try await cache.flush()
        #expect(try await self.cache().entry(for: key)?.data == bytes.prefix(40_000))
        #expect(try fileSize(key) < SpillFile.bytesOffset + 40_000)
    }

    @Test func damageInABodyThatBecameTheEntryIsNoticed() async throws {
        let (bytes, first) = (Data((0..<50_000).map { UInt8(truncatingIfNeeded: $0) }), cache())
        first.store(try entry(arrived(bytes, in: first), count: bytes.count), for: key)
        try await first.flush()
        let path = CacheLayout(folder.url).entriesFolder + "/" + EntryName(key).path
        let file = open(path, O_RDWR)
        defer { close(file) }
        #expect(pwrite(file, [1], 1, off_t(SpillFile.bytesOffset + 49_000)) == 1)
        #expect(try await cache().entry(for: key) == nil)
    }

    @Test func aPendingEntryIsReadable() async throws {
        let cache = cache()
        cache.store(try entry(file([(0, Data([7, 8]))]), count: 2), for: key)
        let read = try await cache.entry(for: key)
        #expect(read?.data == Data([7, 8]))
    }

    @Test func aSpillFileThatIsTooShortIsNotStored() async throws {
        let cache = cache()
        var broken = CacheEntry(data: Data(count: 100), format: .png)
        broken.file = try file([(0, Data(count: 50))])
        cache.store(broken, for: key)
        await expectError(.unwritable) { try await cache.flush() }
        #expect(try await cache.entry(for: key) == nil)
    }

    @Test func anEntryLargerThanTheLimitIsRefused() async throws {
        let cache = cache(DiskLimits(byteCount: 10_000))
        cache.store(CacheEntry(data: Data(count: 500), format: .png), for: CacheKey(source: "small"))
        cache.store(CacheEntry(data: Data(count: 10_001), format: .png), for: key)
        try await cache.flush()
        #expect(cache.stats.refusals == 1)
        #expect(try await cache.entry(for: CacheKey(source: "small")) != nil)
    }

    /// A file of 8000 bytes and its header takes two blocks, and one of 8192 bytes takes three.
    @Test func theHeaderOfAnEntryCountsTowardsTheLimit() async throws {
        let cache = cache(DiskLimits(byteCount: 8192))
        cache.store(CacheEntry(data: Data(count: 8000), format: .png), for: CacheKey(source: "small"))
        cache.store(CacheEntry(data: Data(count: 8192), format: .png), for: key)
        try await cache.flush()
        #expect(cache.stats.refusals == 1)
        #expect(try await cache.entry(for: CacheKey(source: "small")) != nil)
    }

    @Test func changingTheDataDropsTheSpillFile() throws {
        var changed = try entry(file([(0, Data([7]))]), count: 1)
        changed.data.append(8)
        #expect(changed.file == nil)
    }
}
