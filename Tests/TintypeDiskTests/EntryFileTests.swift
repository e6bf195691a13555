import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeDisk

/// Entries that have files of their own.
@Suite(.timeLimited) struct EntryFileTests {
    private let folder: TemporaryFolder
    private let clock = ManualClock()

    init() throws {
        folder = try TemporaryFolder()
    }

    private func cache() -> DiskCache { diskCache(directory: folder.url, time: clock.timeSource) }

    private func entry(_ byte: UInt8, count: Int = 100) -> CacheEntry {
        CacheEntry(data: Data(repeating: byte, count: count), format: .png, metadata: Data([byte]), created: clock.date)
    }

    private func key(_ name: String) -> CacheKey { CacheKey(source: name) }

    @Test func theFileOfAURLIsNamedByItsSHA256() async throws {
        let cache = cache()
        let url = key("https://example.org/a.jpg")
        cache.store(entry(1), for: url)
        try await cache.flush()
        #expect(FileManager.default.fileExists(atPath: cache.path(for: url)))
        // printf %s https://example.org/a.jpg | sha256sum
        let name = "700caca5ae8f856fc70b39312664d5c97f25108545c8f774199da1edfcc4ac60"
        #expect(cache.path(for: url).hasSuffix("/v2/entries/70/0/\(name)"))
    }

    @Test func everySingleByteChangeIsAMiss() async throws {
        let writer = cache()
        writer.store(entry(7, count: 40), for: key("a"))
        try await writer.flush()
        // Reconciling removes damaged files too.
        try await writer.waitUntilReconciled()
        let path = writer.path(for: key("a"))
        let intact = try Data(contentsOf: URL(filePath: path))
        for index in intact.indices {
            var damaged = intact
            damaged[index] ^= 0x20
            try damaged.write(to: URL(filePath: path))
            #expect(try await writer.entry(for: key("a")) == nil)
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test func everyTruncationIsAMiss() async throws {
        let writer = cache()
        writer.store(entry(7, count: 40), for: key("a"))
        try await writer.flush()
        // Reconciling removes damaged files too.
        try await writer.waitUntilReconciled()
        let path = writer.path(for: key("a"))
        let intact = try Data(contentsOf: URL(filePath: path))
        for count in 0..<intact.count {
            try intact.prefix(count).write(to: URL(filePath: path))
            #expect(try await writer.entry(for: key("a")) == nil)
        }
        try (intact + Data([0])).write(to: URL(filePath: path))
        #expect(try await writer.entry(for: key("a")) == nil)
    }

    @Test func aFileOfAnotherKeyIsAMiss() async throws {
        let writer = cache()
        writer.store(entry(1), for: key("a"))
        writer.store(entry(2), for: key("b"))
        try await writer.flush()
        let target = writer.path(for: key("b"))
        try FileManager.default.removeItem(atPath: target)
        try FileManager.default.copyItem(atPath: writer.path(for: key("a")), toPath: target)
        #expect(try await writer.entry(for: key("b")) == nil)
    }

    @Test func verifyFindsAndRemovesDamage() async throws {
        let cache = cache()
        for name in ["a", "b", "c"] { cache.store(entry(1), for: key(name)) }
        try await cache.flush()
        try await cache.waitUntilReconciled()
        let path = cache.path(for: key("b"))
        try Data("rubbish".utf8).write(to: URL(filePath: path))
        let result = try await cache.verify()
        #expect(result.sound.count == 2 && result.damaged == [path])
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try await cache.usage().count == 2)
        #expect(try await cache.verify().damaged.isEmpty)
    }

    @Test func totalsMatchTheFiles() async throws {
        let cache = cache()
        for number in 0..<100 { cache.store(entry(1, count: number), for: key("\(number)")) }
        cache.store(entry(1, count: 5000), for: key("large"))
        let usage = try await cache.usage()
        let files = folder.files.filter { $0.contains("/entries/") }
        let bytes = try files.reduce(0) { sum, path in
            let length = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
            return sum + DiskUsage.allocatedSize(length)
        }
        #expect(usage == DiskUsage(count: 101, byteCount: bytes) && bytes == 100 * 4096 + 8192)
        #expect(try await cache.verify().sound == usage)
        #expect(try await cache.clear() == usage)
    }

    @Test(arguments: [(0, 0), (1, 4096), (4095, 4096), (4096, 4096), (4097, 8192)])
    func theSizeOfAFileIsThatOfItsBlocks(_ length: Int, _ size: Int) {
        #expect(DiskUsage.allocatedSize(length) == size)
    }
}
