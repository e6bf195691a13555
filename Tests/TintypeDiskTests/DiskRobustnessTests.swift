import Foundation
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeDisk

@Suite(.timeLimit(.minutes(15))) struct DiskRobustnessTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func cache() -> DiskCache { DiskCache(directory: folder.url) }
    private func key(_ name: String) -> CacheKey { CacheKey(source: name) }
    private let entry = CacheEntry(data: Data(repeating: 7, count: 300), format: .png)

    private func fill(_ cache: DiskCache, _ names: some Sequence<Int>) async throws {
        for name in names { cache.store(entry, for: key("\(name)")) }
        try await cache.flush()
    }

    // MARK: The index

    @Test func anIndexThatIsTakenAwayIsMadeAnewFromTheFiles() async throws {
        let cache = cache()
        try await fill(cache, 0..<10)
        for file in folder.files where file.contains("index.sqlite") { unlink(file) }
        try await fill(cache, 10..<15)
        #expect(try await cache.usage().count == 15)
    }

    @Test func anotherCacheThatClearsIsNoticed() async throws {
        let (first, second) = (cache(), cache())
        try await fill(first, 0..<10)
        #expect(try await second.clear().count == 10)
        #expect(try await first.entry(for: key("3")) == nil)
        try await fill(first, 20..<25)
        #expect(try await first.entry(for: key("22")) != nil)
        #expect(try await second.entry(for: key("22")) != nil)
        #expect(try await second.usage().count == 5)
    }

    @Test func verifyMendsAnIndexThatDoesNotFitTheFiles() async throws {
        let cache = cache()
        try await fill(cache, 0..<10)
        unlink(cache.path(for: key("3")))
        let index = try DiskIndex(cache.layout)
        let stray = EntryName(key("5"))
        var batch = IndexBatch()
        batch.remove(stray)
        try index.apply(batch)
        #expect(try await cache.verify().sound.count == 9)
        #expect(try await cache.usage().count == 9)
    }

    @Test func aWriterThatWasStoppedIsNoticedByWhoComesNext() async throws {
        try await fill(cache(), 0..<5)
        // What a process leaves that is killed between writing and recording: an entry, a sign that says so, and
        // half a file.
        let layout = cache().layout
        let stopped = DiskCache(directory: folder.url.appending(path: "other"))
        try await fill(stopped, 100..<103)
        for number in 100..<103 {
            let name = EntryName(key("\(number)"))
            try layout.makeFolder(layout.folder(of: name))
            #expect(rename(stopped.path(for: key("\(number)")), layout.path(of: name)) == 0)
        }
        let id = UUID().uuidString
        try Data([1]).write(to: URL(filePath: "\(layout.writersFolder)/\(id)"))
        try Data([0]).write(to: URL(filePath: "\(layout.temporaryFolder)/\(id)-1"))
        #expect(try await cache().usage().count == 8)
        #expect(!folder.files.contains { $0.contains(id) })
    }

    @Test func aLivingWritersFilesAreLeftAlone() async throws {
        let cache = cache()
        try await fill(cache, 0..<5)
        let mark = try WriterMark(cache.layout)
        mark.set(isDirty: true)
        let temporary = "\(cache.layout.temporaryFolder)/\(mark.id)-1"
        try Data([0]).write(to: URL(filePath: temporary))
        #expect(!WriterMark.recover(cache.layout))
        #expect(access(temporary, F_OK) == 0)
    }

    // MARK: The directory

    @Test func aDirectoryThatIsRemovedIsMadeAgain() async throws {
        let cache = cache()
        try await fill(cache, 0..<10)
        try FileManager.default.removeItem(at: folder.url.appending(path: "v2"))
        #expect(try await cache.entry(for: key("1")) == nil)
        try await fill(cache, 10..<15)
        #expect(try await cache.entry(for: key("12")) != nil)
        #expect(try await cache.usage().count == 5)
        #expect(try await self.cache().entry(for: key("12")) != nil)
    }

    @Test func inheritedDirectoriesServeWhatTheCacheLacks() async throws {
        let bundled = DiskCache(directory: folder.url.appending(path: "bundled"))
        try await fill(bundled, 0..<3)
        let other = folder.url.appending(path: "other")
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
        let picture = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + Data(count: 20)
        let paths = SDWebImageFile.paths(of: key("https://example.org/a.png"), in: other.path(percentEncoded: false))
        try picture.write(to: URL(filePath: try #require(paths.first)))
        #expect(paths.count == 2 && paths[0] == paths[1] + ".png")
        let cache = DiskCache(
            directory: folder.url.appending(path: "own"),
            inherited: [.tintype(bundled.directory), .sdWebImage(other)])
        #expect(try await cache.entry(for: key("1"))?.data == entry.data)
        #expect(try await cache.entry(for: key("https://example.org/a.png"))?.data == picture)
        #expect(try await cache.contains(key("https://example.org/a.png")))
        #expect(try await cache.entry(for: key("https://example.org/b.png")) == nil)
        #expect(!folder.files.contains { $0.contains("/own/") })
    }

    @Test(arguments: ["https://h/a.b%2Fc", "https://h/x.\(String(repeating: "e", count: 300))", "", "a b.png"])
    func noKeyLeadsOutOfAnInheritedDirectory(_ source: String) {
        for path in SDWebImageFile.paths(of: CacheKey(source: source), in: "/f") {
            #expect(path.split(separator: "/").count == 2 && path.utf8.count <= 3 + 255)
        }
    }

    // MARK: What cannot be written

    @Test func aFailureIsToldOnceAndWritingIsTriedAgainAfterAWhile() async throws {
        let clock = ManualClock()
        let blocked = folder.url.appending(path: "blocked")
        try Data().write(to: blocked)
        let cache = DiskCache(directory: blocked, time: clock.timeSource)
        cache.store(entry, for: key("a"))
        await #expect(throws: TintypeError.self) { try await cache.flush() }
        #expect(cache.stats.problem?.code == .unwritable)
        unlink(blocked.path(percentEncoded: false))
        cache.store(entry, for: key("b"))
        try await cache.flush()
        #expect(try await cache.entry(for: key("b")) == nil)
        clock.advance(by: WriteHealth.pause)
        cache.store(entry, for: key("c"))
        try await cache.flush()
        #expect(try await cache.entry(for: key("c")) != nil)
        #expect(cache.stats.problem == nil && cache.stats.turnedAway == 2)
    }

    /// A disk of 1 MB that is filled to the brim and beyond. Skipped where this user may not mount one.
    @Test func aFullDiskMakesRoomAndPoisonsNothing() async throws {
        let disk = folder.url.appending(path: "disk").path(percentEncoded: false)
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
        guard mount("tmpfs", disk, "tmpfs", 0, "size=1m") == 0 else {
            return print("skipped: mounting is not allowed here")
        }
        defer { umount2(disk, Int32(MNT_DETACH)) }
        let clock = ManualClock()
        let cache = DiskCache(directory: URL(filePath: disk), time: clock.timeSource)
        func bytes(_ number: Int) -> Data { Data(repeating: UInt8(truncatingIfNeeded: number), count: 3_000) }
        for number in 0..<400 {
            cache.store(CacheEntry(data: bytes(number), format: .png), for: key("\(number)"))
            try? await cache.flush()
            clock.advance(by: WriteHealth.pause)
        }
        let reader = DiskCache(directory: URL(filePath: disk))
        var found = 0
        for number in 0..<400 {
            guard let entry = try await reader.entry(for: key("\(number)")) else { continue }
            #expect(entry.data == bytes(number))
            found += 1
        }
        #expect(found > 0 && reader.stats.damaged == 0)
    }
}
