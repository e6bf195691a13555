import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeDisk

/// Directories, links and other things in place of a cache's files. They cost an entry at most, and never stop the
/// cache from writing.
@Suite(.timeLimited) struct ObstacleTests {
    private let folder: TemporaryFolder
    private let entry = CacheEntry(data: Data(repeating: 7, count: 300), format: .png)

    init() throws {
        folder = try TemporaryFolder()
    }

    private func key(_ name: String) -> CacheKey { CacheKey(source: name) }
    private func cache() -> DiskCache { diskCache(directory: folder.url) }

    enum Kind: CaseIterable {
        case file, directory, emptyDirectory, link, pipe, socket

        /// Puts something of this kind in place of a file or directory.
        func put(at path: String) throws {
            try? FileManager.default.removeItem(atPath: path)
            switch self {
            case .file: try Data("mine".utf8).write(to: URL(filePath: path))
            case .directory:
                try FileManager.default.createDirectory(atPath: "\(path)/mine", withIntermediateDirectories: true)
            case .emptyDirectory:
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            case .link: try #require(symlink("/nowhere", path) == 0)
            case .pipe: try #require(mkfifo(path, 0o600) == 0)
            case .socket: try #require(mknod(path, S_IFSOCK | 0o600, 0) == 0)
            }
        }
    }

    /// The number of components that are cut from the path of the entry.
    @Test(arguments: 0...2, Kind.allCases) func anObstacleIsDisplaced(_ depth: Int, _ kind: Kind) async throws {
        // A file in place of an entry is damaged, and a directory in place of a folder is one.
        if depth == 0 ? kind == .file : [.directory, .emptyDirectory].contains(kind) { return }
        let cache = cache()
        cache.store(entry, for: key("a"))
        _ = try await cache.usage()
        let path = cache.path(for: key("a")).split(separator: "/").dropLast(depth)
        for cache in [cache, self.cache()] {
            try kind.put(at: "/" + path.joined(separator: "/"))
            #expect(try await cache.entry(for: key("a")) == nil)
            try kind.put(at: "/" + path.joined(separator: "/"))
            for name in ["a", "b"] { cache.store(entry, for: key(name)) }
            try await cache.flush()
            #expect(cache.stats.problem == nil && cache.stats.refusals == 0)
            for name in ["a", "b"] { #expect(try await self.cache().entry(for: key(name)) != nil) }
        }
        // Data of others is renamed and stays.
        let names = FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []
        #expect(names.contains { $0.contains(".displaced-") } == [.file, .directory].contains(kind))
        let verified = try await self.cache().verify()
        #expect(verified.sound.count == 2 && verified.damaged.isEmpty)
    }

    @Test(arguments: Kind.allCases) func verifyRemovesWhatIsInPlaceOfAnEntry(_ kind: Kind) async throws {
        let cache = cache()
        cache.store(entry, for: key("a"))
        _ = try await cache.usage()
        try kind.put(at: cache.path(for: key("a")))
        let verified = try await cache.verify()
        #expect(verified.damaged == [cache.path(for: key("a"))] && verified.unremovable.isEmpty)
        #expect(try await cache.verify().damaged.isEmpty)
    }

    @Test(arguments: ["", "-wal", "-shm", "-journal"], Kind.allCases)
    func whatIsInPlaceOfTheIndexIsDisplaced(_ suffix: String, _ kind: Kind) async throws {
        if kind == .file { return }
        let path = cache().layout.indexPath + suffix
        do {
            let cache = cache()
            cache.store(entry, for: key("a"))
            _ = try await cache.usage()
            // While the index is open.
            if suffix.isEmpty {
                try kind.put(at: path)
                cache.store(entry, for: key("b"))
                try await cache.flush()
                #expect(cache.stats.problem == nil)
            }
        }
        // Before it is opened.
        let next = cache()
        try kind.put(at: path)
        next.store(entry, for: key("b"))
        try await next.flush()
        #expect(next.stats.problem == nil)
        #expect(try await next.usage().count == 2)
    }

    @Test func aFileThatCannotBeRemovedStaysInTheIndex() async throws {
        let cache = cache()
        cache.store(entry, for: key("a"))
        let usage = try await cache.usage()
        let parent = String(cache.path(for: key("a")).dropLast(65))
        let target = "\(folder.path)/moved"
        #expect(rename(parent, target) == 0 && symlink(target, parent) == 0)
        try await cache.remove(key("a"))
        #expect(unlink(parent) == 0 && rename(target, parent) == 0)
        #expect(try await cache.usage() == usage)
        #expect(try await cache.entry(for: key("a")) != nil)
    }
}
