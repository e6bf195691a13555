import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeDisk
@testable import TintypeSDWebImage

@Suite(.timeLimited) struct DiskRobustnessTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func cache() -> DiskCache { diskCache(directory: folder.url) }
    private func key(_ name: String) -> CacheKey { CacheKey(source: name) }
    private let entry = CacheEntry(data: Data(repeating: 7, count: 300), format: .png)

    private func fill(_ cache: DiskCache, _ names: some Sequence<Int>) async throws {
        for name in names { cache.store(entry, for: key("\(name)")) }
        try await cache.flush()
    }

    // MARK: The index

    @Test func severalThreadsCanCreateTheSameIndexAtOnce() {
        let failures = Shared<[String]>([])
        for number in 0..<100 {
            let layout = diskCache(directory: folder.url.appending(path: "\(number)")).layout
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                do { _ = try DiskIndex(layout, in: layout.makeHome()) } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
        }
        #expect(failures.now == [])
    }

    @Test func aDeletedIndexIsRebuiltFromTheFiles() async throws {
        let cache = cache()
        try await fill(cache, 0..<10)
        for file in folder.files where file.contains("index.sqlite") { unlink(file) }
        try await fill(cache, 10..<15)
        #expect(try await cache.usage().count == 15)
    }

    @Test func aCacheNoticesThatAnotherCacheCleared() async throws {
        let (first, second) = (cache(), cache())
        try await fill(first, 0..<10)
        #expect(try await second.clear().count == 10)
        #expect(try await first.entry(for: key("3")) == nil)
        try await fill(first, 20..<25)
        #expect(try await first.entry(for: key("22")) != nil)
        #expect(try await second.entry(for: key("22")) != nil)
        #expect(try await second.usage().count == 5)
    }

    @Test func verifyRepairsAnIndexThatDoesNotMatchTheFiles() async throws {
        let cache = cache()
        try await fill(cache, 0..<10)
        unlink(cache.path(for: key("3")))
        let index = try DiskIndex(cache.layout, in: cache.layout.openHome())
        let stray = EntryName(key("5"))
        var batch = IndexBatch()
        batch.remove(stray)
        try index.apply(batch)
        #expect(try await cache.verify().sound.count == 9)
        #expect(try await cache.usage().count == 9)
    }

    @Test func theNextCacheRecoversFromAWriterThatWasKilled() async throws {
        try await fill(cache(), 0..<5)
        // Leaves the files of a process that was killed between writing and recording: entries, a dirty lock file and
        // a partial temporary file.
        let layout = cache().layout
        let stopped = diskCache(directory: folder.url.appending(path: "other"))
        try await fill(stopped, 100..<103)
        for number in 100..<103 {
            let name = EntryName(key("\(number)"))
            let path = URL(filePath: layout.path(of: name))
            try FileManager.default.createDirectory(
                at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
            #expect(rename(stopped.path(for: key("\(number)")), layout.path(of: name)) == 0)
        }
        let id = UUID().uuidString
        try Data([1]).write(to: URL(filePath: "\(layout.writersFolder)/\(id)"))
        try Data([0]).write(to: URL(filePath: "\(layout.home)/tmp/\(id)-1"))
        #expect(try await cache().usage().count == 8)
        #expect(!folder.files.contains { $0.contains(id) })
    }

    @Test func theFilesOfARunningWriterAreLeftAlone() async throws {
        let cache = cache()
        try await fill(cache, 0..<5)
        let lock = try WriterLock(cache.layout)
        lock.set(isDirty: true)
        let temporary = "\(cache.layout.home)/tmp/\(lock.id)-1"
        try Data([0]).write(to: URL(filePath: temporary))
        #expect(try WriterLock.recover(WriterFolders(cache.layout)).isEmpty)
        #expect(access(temporary, F_OK) == 0)
    }

    @Test func rebuildingTheIndexRemovesDamagedFiles() async throws {
        let cache = cache()
        try await fill(cache, 0..<4)
        // Damage files as a power failure does, and put one under the name of another key.
        try Data(count: 400).write(to: URL(filePath: cache.path(for: key("1"))))
        try Data().write(to: URL(filePath: cache.path(for: key("2"))))
        #expect(rename(cache.path(for: key("3")), cache.path(for: key("1"))) == 0)
        for file in folder.files where file.contains("index.sqlite") { unlink(file) }
        let usage = try await self.cache().usage()
        #expect(usage.count == 1)
        #expect(folder.files.filter { $0.contains("/entries/") } == [cache.path(for: key("0"))])
    }

    @Test func evictingAnEntryUsedJustNowLeavesNoFile() async throws {
        let cache = cache()
        try await fill(cache, 0..<5)
        func use(_ number: Int) -> Bool { cache.entry(for: key("\(number)")) != nil }
        // The use is pending, not recorded.
        #expect(use(3))
        _ = try cache.trim(cache.openIndex(), to: DiskUsage())
        #expect(folder.files.allSatisfy { !$0.contains("/entries/") })
        #expect(try await cache.usage() == DiskUsage())
    }

    @Test func anEntryStoredDuringItsEvictionStaysInTheIndex() async throws {
        let cache = cache()
        try await fill(cache, 0..<3)
        try await cache.waitUntilReconciled()
        let index = try cache.openIndex()
        let known = try index.oldest(9, by: .access)
        // Store it again between the query for the oldest entries and their removal.
        cache.store(entry, for: key("1"))
        try await cache.flush()
        try index.remove(known)
        #expect(try await cache.usage().count == 1)
    }

    @Test func entriesStoredDuringAClearAreInTheIndex() async throws {
        let cache = cache()
        for round in 0..<20 {
            for number in 0..<20 { cache.store(entry, for: key("\(number)")) }
            async let cleared = cache.clear()
            for number in 20..<40 { cache.store(entry, for: key("\(round) \(number)")) }
            _ = try await cleared
        }
        // If the folder disappears repeatedly, an entry may fail to be written.
        try? await cache.flush()
        let files = Set(folder.files.filter { $0.contains("/entries/") })
        let listed = Shared<Set<String>>([])
        try await cache.forEachEntry { entry in listed.withLock { _ = $0.insert(entry.path) } }
        #expect(listed.now == files)
    }

    @Test func theLockFileRecordsThatTheIndexLostChanges() async throws {
        let cache = cache()
        try await fill(cache, 0..<3)
        let lock = try #require(cache.state.withLock { $0.writerLock })
        func lockFileContents() throws -> Data {
            try Data(contentsOf: URL(filePath: "\(cache.layout.writersFolder)/\(lock.id)"))
        }
        #expect(try lockFileContents() == Data([0]))
        lock.set(isDirty: true)
        cache.closeIndex(try cache.openIndex(), after: IndexDamage())
        cache.markCleanIfSettled()
        #expect(try lockFileContents().isEmpty)
        #expect(try await cache.usage().count == 3)
        #expect(try lockFileContents() == Data([0]))
    }

    @Test func aFailedReadYieldsNoData() {
        #expect(Data(reading: -1, 10) == nil)
    }

    @Test func aFlushEndsWhileMoreIsStored() async throws {
        let cache = cache()
        let isOver = Shared(false)
        let entry = entry
        let storing = Task.detached {
            var number = 0
            while !isOver.now {
                cache.store(entry, for: CacheKey(source: "\(number % 1_000)"))
                number += 1
                await Task.yield()
            }
        }
        for number in 0..<5 {
            cache.store(entry, for: key("own \(number)"))
            try await cache.flush()
            #expect(FileManager.default.fileExists(atPath: cache.path(for: key("own \(number)"))))
            _ = try await cache.usage()
        }
        isOver.withLock { $0 = true }
        await storing.value
    }

    // MARK: The directory

    @Test func aCacheNoticesThatItsDirectoryWasMovedAway() async throws {
        let cache = cache()
        try await fill(cache, 0..<5)
        let (home, away) = (cache.layout.home, folder.url.appending(path: "away").path(percentEncoded: false))
        try FileManager.default.moveItem(atPath: home, toPath: away)
        try await fill(cache, 10..<15)
        #expect(try await cache.entry(for: key("12")) != nil)
        #expect(try await cache.entry(for: key("2")) == nil)
        #expect(try await cache.usage().count == 5)
        let lockFiles = try FileManager.default.contentsOfDirectory(atPath: cache.layout.writersFolder)
        #expect(lockFiles.count == 1)
    }

    @Test func aReaderNoticesThatTheDirectoryWasReplaced() async throws {
        let (reader, writer) = (cache(), cache())
        try await fill(writer, 0..<5)
        #expect(try await reader.entry(for: key("1")) != nil)
        try FileManager.default.removeItem(at: folder.url.appending(path: "v2"))
        try await fill(writer, 0..<5)
        for number in 0..<DiskCache.lookupsBetweenChecks {
            _ = try await reader.entry(for: key("missing \(number)"))
        }
        #expect(try await reader.entry(for: key("1")) != nil)
    }

    @Test func anExpiredEntryInAnInheritedDirectoryIsAMiss() async throws {
        let clock = ManualClock()
        let bundled = diskCache(directory: folder.url.appending(path: "bundled"), time: clock.timeSource)
        var passing = entry
        passing.expires = clock.date.addingTimeInterval(60)
        bundled.store(passing, for: key("a"))
        bundled.store(entry, for: key("b"))
        try await bundled.flush()
        let cache = diskCache(
            directory: folder.url.appending(path: "own"), inherited: [.tintype(bundled.directory)],
            time: clock.timeSource)
        // The cache's own entry expires before the inherited one.
        var own = entry
        own.expires = clock.date.addingTimeInterval(30)
        cache.store(own, for: key("b"))
        try await cache.flush()
        #expect(try await cache.contains(key("a")))
        clock.advance(by: .seconds(60))
        #expect(try await !cache.contains(key("a")))
        #expect(try await cache.entry(for: key("a")) == nil)
        #expect(try await cache.entry(for: key("b"))?.data == entry.data)
    }

    @Test func aRemovedDirectoryIsCreatedAgain() async throws {
        let cache = cache()
        try await fill(cache, 0..<10)
        try FileManager.default.removeItem(at: folder.url.appending(path: "v2"))
        #expect(try await cache.entry(for: key("1")) == nil)
        try await fill(cache, 10..<15)
        #expect(try await cache.entry(for: key("12")) != nil)
        #expect(try await cache.usage().count == 5)
        #expect(try await self.cache().entry(for: key("12")) != nil)
    }

    @Test func inheritedDirectoriesServeEntriesThatTheCacheLacks() async throws {
        let bundled = diskCache(directory: folder.url.appending(path: "bundled"))
        try await fill(bundled, 0..<3)
        let other = folder.url.appending(path: "other")
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
        let image = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + Data(count: 20)
        let names = SDWebImageFile.names(of: key("https://example.org/a.png"))
        try image.write(to: other.appending(path: try #require(names.first)))
        #expect(names == ["74ce1eb9e15513814a1ef3ebf232cd14.png", "74ce1eb9e15513814a1ef3ebf232cd14"])
        let cache = diskCache(
            directory: folder.url.appending(path: "own"),
            inherited: [.tintype(bundled.directory), .sdWebImage(other)])
        #expect(try await cache.entry(for: key("1"))?.data == entry.data)
        #expect(try await cache.entry(for: key("https://example.org/a.png"))?.data == image)
        #expect(try await cache.contains(key("https://example.org/a.png")))
        #expect(try await cache.entry(for: key("https://example.org/b.png")) == nil)
        #expect(!folder.files.contains { $0.contains("/own/") })
    }

    /// Writes an image as SDWebImage does, and returns the directory.
    private func directoryOfSDWebImage(_ urls: [String]) throws -> InheritedDirectory {
        let other = folder.url.appending(path: "other")
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
        let image = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + Data(count: 20)
        for url in urls {
            try image.write(to: other.appending(path: try #require(SDWebImageFile.names(of: key(url)).first)))
        }
        return .sdWebImage(other)
    }

    private static let urls = (0..<40).map { "https://example.org/\($0).png" }

    @Test func anOldDirectoryIsMigratedForNamedURLs() async throws {
        let old = try directoryOfSDWebImage(Self.urls)
        let own = folder.url.appending(path: "own")
        let cache = diskCache(directory: own, inherited: [old])
        cache.store(entry, for: key(Self.urls[0]))
        let keys = (Self.urls + ["https://example.org/no.png"]).map { key($0) }
        #expect(try await cache.adopt(keys) == Self.urls.count - 1)
        #expect(try await cache.adopt(keys) == 0)
        // The old directory is not needed any more, and newer bytes have stayed.
        let alone = diskCache(directory: own)
        #expect(try await alone.usage().count == Self.urls.count)
        #expect(try await alone.entry(for: keys[0])?.data == entry.data)
        #expect(try await alone.entry(for: keys[39])?.format == .png)
    }

    @Test(arguments: [InheritedUse.adopt, .read])
    func anOldDirectoryIsMigratedImageByImage(_ use: InheritedUse) async throws {
        let old = try directoryOfSDWebImage(Array(Self.urls.prefix(2)))
        let own = folder.url.appending(path: "own")
        let cache = diskCache(directory: own, inherited: [old], inheritedUse: use)
        #expect(try await cache.entry(for: key(Self.urls[0])) != nil)
        try await cache.flush()
        let alone = diskCache(directory: own)
        #expect(try await alone.contains(key(Self.urls[0])) == (use == .adopt))
        #expect(try await !alone.contains(key(Self.urls[1])))
    }

    @Test(arguments: ["https://h/a.b%2Fc", "https://h/x.\(String(repeating: "e", count: 300))", "", "a b.png"])
    func noKeyLeadsOutOfAnInheritedDirectory(_ source: String) {
        for name in SDWebImageFile.names(of: CacheKey(source: source)) {
            #expect(!name.contains("/") && name.utf8.count <= 255)
        }
    }

    /// The file is sparse, so that it takes no disk space. The cache must refuse it by its size.
    @Test func aHugeFileInAnInheritedDirectoryIsAMiss() async throws {
        let other = folder.url.appending(path: "other")
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
        let file = other.appending(path: try #require(SDWebImageFile.names(of: key("a")).first))
        try Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]).write(to: file)
        #expect(truncate(file.path(percentEncoded: false), 1 << 36) == 0)
        let cache = diskCache(directory: folder.url.appending(path: "own"), inherited: [.sdWebImage(other)])
        #expect(try await cache.entry(for: key("a")) == nil)
    }

    /// Another process may remove the file after the first time.
    @Test func aFileOfSDWebImageIsOpenedOnce() async throws {
        let old = try directoryOfSDWebImage(["a"])
        let cache = diskCache(directory: folder.url.appending(path: "own"), inherited: [old])
        let file = folder.url.appending(path: "other").appending(
            path: try #require(SDWebImageFile.names(of: key("a")).first))
        let opens = try FileOpens(of: file)
        #expect(try await cache.entry(for: key("a")) != nil)
        #expect(opens.count == 1)
    }

    /// Names have no extension before version 4 of SDWebImage. A key that is not a URL has one too.
    @Test(arguments: [
        "https://example.org/a.png", "plain name.png", "https://example.org/a.png?x=1.gif", "noextension",
        "https://example.org/map?center=48.8566,2.3522&format=png&size=375x200",
        "https://example.org/a.png?aid=b&m=%7B%22url%22%3A%22https%3A%2F%2Fg.example%2Fi4%2Fa_%21%210.jpg_sum.jpg%22%7D",
    ])
    func filesOfSDWebImageAreFoundWithAndWithoutAnExtension(_ source: String) async throws {
        let image = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + Data(count: 20)
        let other = folder.url.appending(path: "other")
        let names = SDWebImageFile.names(of: key(source))
        #expect(
            names.count == (source.contains(".png") ? 2 : 1) && names.dropLast().allSatisfy { $0.hasSuffix(".png") })
        for name in names {
            try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
            try image.write(to: other.appending(path: name))
            let cache = diskCache(directory: folder.url.appending(path: "own"), inherited: [.sdWebImage(other)])
            #expect(try await cache.entry(for: key(source))?.data == image)
            // Only originals are named by their URLs.
            #expect(try await cache.entry(for: CacheKey(source: source, rendition: "fit(1x1)")) == nil)
            try FileManager.default.removeItem(at: other)
        }
    }

    /// A file name has at most 255 bytes, and the digest takes 32 of them.
    @Test(arguments: [(222, true), (223, false)])
    func anExtensionThatIsTooLongForAFileNameIsLeftOut(_ length: Int, _ hasExtension: Bool) async throws {
        let source = "https://example.org/a.\(String(repeating: "j", count: length))"
        let names = SDWebImageFile.names(of: key(source))
        #expect(names.count == (hasExtension ? 2 : 1) && names.allSatisfy { $0.utf8.count <= 255 })
        let cache = cache()
        cache.store(entry, for: key(source))
        try await cache.flush()
        #expect(try await self.cache().entry(for: key(source))?.data == entry.data)
    }

    // MARK: Write errors

    @Test func aFailureIsReportedOnceAndWritingIsRetriedAfterAPause() async throws {
        let clock = ManualClock()
        let blocked = folder.url.appending(path: "blocked")
        try Data().write(to: blocked)
        let cache = diskCache(directory: blocked, time: clock.timeSource)
        cache.store(entry, for: key("a"))
        await expectError(.unwritable) { try await cache.flush() }
        #expect(cache.stats.problem?.code == .unwritable)
        unlink(blocked.path(percentEncoded: false))
        cache.store(entry, for: key("b"))
        try await cache.flush()
        #expect(try await cache.entry(for: key("b")) == nil)
        clock.advance(by: WriteHealth.pause)
        cache.store(entry, for: key("c"))
        try await cache.flush()
        #expect(try await cache.entry(for: key("c")) != nil)
        #expect(cache.stats.problem == nil && cache.stats.refusals == 2)
    }

    /// A disk of 1 MB that is filled beyond its size. Skipped if this user may not mount one.
    @Test func aFullDiskNeverReturnsWrongBytes() async throws {
        let disk = folder.url.appending(path: "disk").path(percentEncoded: false)
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
        guard mount("tmpfs", disk, "tmpfs", 0, "size=1m") == 0 else {
            return print("skipped: this user may not mount a file system")
        }
        defer { umount2(disk, Int32(MNT_DETACH)) }
        let clock = ManualClock()
        let cache = diskCache(directory: URL(filePath: disk), time: clock.timeSource)
        func bytes(_ number: Int) -> Data { Data(repeating: UInt8(truncatingIfNeeded: number), count: 3_000) }
        for number in 0..<400 {
            cache.store(CacheEntry(data: bytes(number), format: .png), for: key("\(number)"))
            try? await cache.flush()
            clock.advance(by: WriteHealth.pause)
        }
        let reader = diskCache(directory: URL(filePath: disk), time: clock.timeSource)
        var correctReads = 0
        for number in 0..<400 {
            guard let entry = try await reader.entry(for: key("\(number)")) else { continue }
            #expect(entry.data == bytes(number))
            correctReads += 1
        }
        #expect(correctReads > 0 && reader.stats.damaged == 0)
    }
}
