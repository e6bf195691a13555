import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeSDWebImage
import TintypeTesting

@testable import TintypeDisk

/// Cache directories that contain links and foreign files, or that other users can change.
@Suite(.timeLimited) struct CacheDirectoryTests {
    private let folder: TemporaryFolder
    private let root: String
    /// A folder that is not the cache's, with a file that has the name of an entry.
    private let foreign: String
    private let entry = CacheEntry(data: Data(repeating: 7, count: 300), format: .png)

    init() throws {
        folder = try TemporaryFolder()
        root = "\(folder.path)/cache"
        foreign = "\(folder.path)/foreign"
        let name = String(repeating: "a", count: 64)
        for file in ["\(name)", "a/\(name)", "aa/a/\(name)", "aa/a/notes", "notes"] {
            let url = URL(filePath: "\(foreign)/\(file)")
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("mine".utf8).write(to: url)
        }
    }

    private var foreignFileCount: Int { folder.files.count { $0.hasPrefix("\(foreign)/") } }
    private func key(_ name: String) -> CacheKey { CacheKey(source: name) }
    private func cache() -> DiskCache { diskCache(directory: URL(filePath: root)) }

    /// Stores two entries and returns when they are on disk.
    private func fill() async throws {
        let cache = cache()
        for name in ["a", "b"] { cache.store(entry, for: key(name)) }
        _ = try await cache.usage()
    }

    private func replace(_ name: String, withLinkTo target: String) throws {
        let path = "\(root)/\(name)"
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    }

    // MARK: Links

    @Test(arguments: ["v2", "v2/entries", "v2/entries/aa", "v2/entries/aa/a"])
    func clearFollowsNoLink(_ name: String) async throws {
        try await fill()
        try FileManager.default.createDirectory(atPath: "\(root)/v2/entries/aa", withIntermediateDirectories: true)
        let depth = name.split(separator: "/").count
        let target = ["\(folder.path)/trap", foreign, "\(foreign)/aa", "\(foreign)/aa/a"][depth - 1]
        if depth == 1 {
            try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
            #expect(rename(foreign, "\(target)/entries") == 0)
        }
        let before = folder.files.count { $0.contains("notes") || $0.contains("aaaa") }
        try replace(name, withLinkTo: target)
        _ = try? await cache().clear()
        #expect(folder.files.count { $0.contains("notes") || $0.contains("aaaa") } >= before)
        #expect(before == 5)
    }

    @Test func clearLeavesForeignFilesAlone() async throws {
        try await fill()
        let paths = ["notes", "ab/notes", "ab/c/notes", "ab/c/\(String(repeating: "A", count: 64))", "notes.d/x"]
        for path in paths.map({ "\(root)/v2/entries/\($0)" }) {
            let url = URL(filePath: path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data().write(to: url)
        }
        let removed = try await cache().clear()
        #expect(removed.count == 2)
        #expect(folder.files.count { $0.contains("/entries/") } == paths.count)
        #expect(try await cache().usage() == DiskUsage())
    }

    @Test(arguments: ["tmp", "writers"]) func startingEmptiesNoForeignFolder(_ name: String) async throws {
        try await fill()
        try replace("v2/\(name)", withLinkTo: foreign)
        _ = try? await cache().usage()
        #expect(foreignFileCount == 5)
    }

    @Test(arguments: ["tmp", "writers"]) func startingLeavesForeignFilesAlone(_ name: String) async throws {
        try await fill()
        let path = "\(root)/v2/\(name)/notes"
        try Data().write(to: URL(filePath: path))
        #expect(try await cache().usage().count == 2)
        #expect(access(path, F_OK) == 0)
    }

    @Test func aLinkInPlaceOfTheCacheIsRefused() async throws {
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        try replace("v2", withLinkTo: foreign)
        let cache = cache()
        cache.store(entry, for: key("a"))
        await expectError(.unwritable) { try await cache.flush() }
        #expect(foreignFileCount == 5)
    }

    @Test func aLinkInPlaceOfTheIndexIsNotFollowed() async throws {
        try await fill()
        let target = "\(folder.path)/empty"
        try Data().write(to: URL(filePath: target))
        try replace("v2/index.sqlite", withLinkTo: target)
        let usage = try await cache().usage()
        #expect(usage.count == 2)
        #expect(try Data(contentsOf: URL(filePath: target)).isEmpty)
    }

    @Test func aLinkInPlaceOfAnEntryIsRemovedAndItsTargetStays() async throws {
        try await fill()
        let cache = cache()
        let (path, target) = (cache.path(for: key("a")), "\(folder.path)/target")
        #expect(rename(path, target) == 0)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        #expect(try await cache.entry(for: key("a")) == nil)
        #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: path)) == nil)
        #expect(access(target, F_OK) == 0)
    }

    @Test func aLinkInPlaceOfAThumbnailIsAMiss() async throws {
        let thumbnails = ThumbnailCache(directory: URL(filePath: root))
        let pixels = try PixelBuffer.filled(Pixel(red: 9, green: 0, blue: 0), size: PixelSize(width: 8, height: 8))
        thumbnails.store(Image(pixels: pixels, info: ImageInfo(format: .png, size: pixels.size)), for: key("a"))
        try await thumbnails.flush()
        let path = thumbnails.disk.path(for: key("a"))
        #expect(try await thumbnails.image(for: key("a")) != nil)
        #expect(rename(path, "\(folder.path)/target") == 0)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "\(folder.path)/target")
        #expect(try await thumbnails.image(for: key("a")) == nil)
    }

    @Test func removingAnEntryFollowsNoLink() async throws {
        try await fill()
        let cache = cache()
        let path = cache.path(for: key("a"))
        let parent = String(path.dropLast(65))
        let target = "\(folder.path)/moved"
        #expect(rename(parent, target) == 0)
        try FileManager.default.createSymbolicLink(atPath: parent, withDestinationPath: target)
        try await cache.remove(key("a"))
        #expect(access("\(target)/\(path.suffix(64))", F_OK) == 0)
    }

    @Test func aFileInALinkedFolderIsAMissAndStays() async throws {
        try await fill()
        let cache = cache()
        let path = cache.path(for: key("a"))
        for depth in [1, 2] {
            let parent = String(path.dropLast(depth == 1 ? 65 : 67))
            let target = "\(folder.path)/moved\(depth)"
            #expect(rename(parent, target) == 0 && symlink(target, parent) == 0)
            #expect(try await self.cache().entry(for: key("a")) == nil)
            let entries = try EntriesHandle(cache.layout)
            let name = EntryName(key("a"))
            #expect(entries.open(name, O_RDONLY) == -1 && entries.openStepwise(name, O_RDONLY) == -1)
            #expect(try !entries.remove(name) && entries.names(in: name.folder).isEmpty)
            #expect(access("\(target)\(path.dropFirst(parent.count))", F_OK) == 0)
            #expect(unlink(parent) == 0 && rename(target, parent) == 0)
        }
        #expect(try await self.cache().entry(for: key("a")) != nil)
        let entries = try EntriesHandle(cache.layout)
        for descriptor in [
            entries.open(EntryName(key("a")), O_RDONLY), entries.openStepwise(EntryName(key("a")), O_RDONLY),
        ] {
            #expect(descriptor >= 0 && close(descriptor) == 0)
        }
    }

    @Test(arguments: ["v2", "v2/entries"]) func aLinkInPlaceOfAFolderIsAnError(_ name: String) async throws {
        try await fill()
        try replace(name, withLinkTo: foreign)
        let error = await expectError(.unwritable) { try await cache().usage() }
        #expect(error?.message.contains("it is a link or a file") == true && error?.subject == "\(root)/\(name)")
        await expectError(.unwritable) { try await cache().forEachEntry { _ in } }
        await expectError(.unwritable) { try await cache().clear() }
        #expect(foreignFileCount == 5)
    }

    /// The target may be another cache of the same user, whose entries have valid names.
    @Test func aLinkInPlaceOfTheThumbnailsIsRefused() async throws {
        try await fill()
        let other = diskCache(directory: URL(filePath: "\(folder.path)/other"))
        other.store(entry, for: key("a"))
        _ = try await other.usage()
        try replace("thumbnails", withLinkTo: "\(folder.path)/other")
        let thumbnails = ThumbnailCache(beside: cache())
        await expectError(.unwritable) { try await thumbnails.removeAll() }
        #expect(try await !thumbnails.contains(key("a")))
        thumbnails.disk.store(entry, for: key("b"))
        await expectError(.unwritable) { try await thumbnails.flush() }
        #expect(try await other.entry(for: key("a")) != nil)
        #expect(try await other.usage().count == 1)
    }

    // MARK: Owners and permissions

    @Test func aCacheBelowADirectoryThatEveryUserMayWriteToIsRefused() async throws {
        try await fill()
        let path = folder.path
        #expect(chmod(path, 0o777) == 0)
        let cache = cache()
        cache.store(entry, for: key("c"))
        let error = await expectError(.unwritable) { try await cache.flush() }
        #expect(error?.subject == String(path.dropLast(path.hasSuffix("/") ? 1 : 0)))
        #expect(try await self.cache().entry(for: key("a")) == nil)
        #expect(chmod(path, 0o1777) == 0)
        #expect(try await self.cache().entry(for: key("a")) != nil)
    }

    @Test(arguments: ["", "v2", "v2/entries", "v2/tmp", "v2/writers"])
    func aFolderThatEveryUserMayWriteToIsRefused(_ name: String) async throws {
        try await fill()
        #expect(chmod("\(root)/\(name)", 0o777) == 0)
        let cache = cache()
        cache.store(entry, for: key("c"))
        let error = await expectError(.unwritable) { try await cache.flush() }
        #expect(error?.message.contains("other users may write to it") == true)
        #expect(cache.stats.refusals == 1)
        // A reader does not need the directories that only a writer uses.
        let isReadable = ["v2/tmp", "v2/writers"].contains(name)
        #expect(try await (self.cache().entry(for: key("a")) != nil) == isReadable)
        #expect(chmod("\(root)/\(name)", 0o700) == 0)
        #expect(try await self.cache().entry(for: key("a")) != nil)
    }

    /// Only the superuser can give a folder away.
    @Test(arguments: ["", "v2", "v2/entries"])
    func aFolderOfAnotherUserIsRefused(_ name: String) async throws {
        guard geteuid() == 0 else { return print("skipped: this user cannot give a folder away") }
        try await fill()
        #expect(chown("\(root)/\(name)", 12_345, gid_t.max) == 0)
        let cache = cache()
        #expect(try await cache.entry(for: key("a")) == nil)
        #expect(cache.stats.problem?.message.contains("user 12345 owns it") == true)
        await expectError(.unwritable) { try await cache.usage() }
        await expectError(.unwritable) { try await cache.clear() }
        #expect(access(cache.path(for: key("a")), F_OK) == 0)
    }

    @Test(arguments: [0o1777, 0o775]) func aSharedParentCanHoldACache(_ mode: mode_t) async throws {
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        #expect(chmod(root, mode) == 0)
        try await fill()
        #expect(try await cache().entry(for: key("a")) != nil)
    }

    @Test func aFileThatEveryUserMayWriteToIsAMiss() async throws {
        try await fill()
        let cache = cache()
        #expect(chmod(cache.path(for: key("a")), 0o666) == 0)
        #expect(try await cache.entry(for: key("a")) == nil)
        #expect(cache.stats.damaged == 1 && access(cache.path(for: key("a")), F_OK) != 0)
    }

    // MARK: Inherited directories

    private func inheriting() -> DiskCache {
        diskCache(directory: URL(filePath: "\(folder.path)/own"), inherited: [.tintype(URL(filePath: root))])
    }

    @Test(arguments: ["", "v2", "v2/entries"])
    func anInheritedFolderThatEveryUserMayWriteToIsIgnored(_ name: String) async throws {
        try await fill()
        #expect(try await inheriting().contains(key("a")))
        #expect(chmod("\(root)/\(name)", 0o777) == 0)
        #expect(try await !inheriting().contains(key("a")))
        #expect(try await inheriting().entry(for: key("a")) == nil)
    }

    @Test func aLinkInAnInheritedFolderIsAMiss() async throws {
        try await fill()
        let path = cache().path(for: key("a"))
        #expect(rename(path, "\(folder.path)/target") == 0)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "\(folder.path)/target")
        #expect(try await inheriting().entry(for: key("a")) == nil)
    }

    @Test func aFolderOfSDWebImageIsReadUnderTheSameRules() async throws {
        let image = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + Data(count: 20)
        let other = URL(filePath: "\(folder.path)/other")
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
        // The MD5 of "a".
        let name = "0cc175b9c0f1b6a831c399e269772661"
        try image.write(to: other.appending(path: name))
        func found() async throws -> Bool {
            let cache = diskCache(
                directory: URL(filePath: "\(folder.path)/own"), inherited: [.sdWebImage(other)])
            return try await cache.entry(for: key("a")) != nil
        }
        #expect(try await found())
        let path = other.path(percentEncoded: false)
        #expect(chmod(path, 0o777) == 0)
        #expect(try await !found())
        #expect(chmod(path, 0o700) == 0)
        #expect(rename("\(path)/\(name)", "\(folder.path)/target") == 0)
        try FileManager.default.createSymbolicLink(
            atPath: "\(path)/\(name)", withDestinationPath: "\(folder.path)/target")
        #expect(try await !found())
    }

    /// The owner of an inherited directory may truncate its files at any time. A mapping of such a file would end the
    /// process.
    @Test func aLargeInheritedEntrySurvivesTheTruncationOfItsFile() async throws {
        let cache = cache()
        let data = Data((0..<9_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        cache.store(CacheEntry(data: data, format: .png), for: key("large"))
        try await cache.flush()
        let read = try #require(try await inheriting().entry(for: key("large")))
        #expect(truncate(cache.path(for: key("large")), 0) == 0)
        #expect(read.data == data)
    }
}
