import Foundation
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeDisk

/// Directories that may not be written, or not be entered. The superuser may do everything, so for it they are on a file
/// system that is mounted for reading only; where that is not allowed either, there is nothing to try.
@Suite(.timeLimit(.minutes(15))) struct ForbiddenDirectoryTests {
    private let folder: TemporaryFolder
    private let clock = ManualClock()
    private let entry = CacheEntry(data: Data(repeating: 7, count: 300), format: .png)

    init() throws {
        folder = try TemporaryFolder()
    }

    private func key(_ name: String) -> CacheKey { CacheKey(source: name) }

    /// Runs `body` with a directory in which a cache has left `a` and which no one may write any more.
    private func withReadOnlyCache(_ body: (DiskCache) async throws -> Void) async throws {
        let path = folder.url.appending(path: "disk").path(percentEncoded: false)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let isMounted = geteuid() == 0 && mount("tmpfs", path, "tmpfs", 0, "size=4m") == 0
        guard isMounted || geteuid() != 0 else { return print("skipped: mounting is not allowed here") }
        defer {
            if isMounted { umount2(path, Int32(MNT_DETACH)) } else { Self.setMode(0o700, below: path) }
        }
        try await fill(path)
        if isMounted {
            try await Self.forbidWriting(path)
        } else {
            Self.setMode(0o500, below: path)
        }
        try await body(DiskCache(directory: URL(filePath: path), time: clock.timeSource))
    }

    /// What a writer had open may be closed a little after it has gone.
    private static func forbidWriting(_ path: String) async throws {
        while mount("tmpfs", path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), "size=4m") != 0 {
            try #require(errno == EBUSY)
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    private func fill(_ path: String) async throws {
        let writer = DiskCache(directory: URL(filePath: path), time: clock.timeSource)
        writer.store(entry, for: key("a"))
        _ = try await writer.usage()
        clock.advance(by: .seconds(3600))
    }

    private static func setMode(_ mode: mode_t, below path: String) {
        chmod(path, mode)
        for name in FileManager.default.enumerator(atPath: path)?.allObjects as? [String] ?? [] {
            chmod("\(path)/\(name)", mode)
        }
    }

    @Test func aReadOnlyDirectoryServesWhatItHas() async throws {
        try await withReadOnlyCache { cache in
            #expect(try await cache.entry(for: key("a"))?.data == entry.data)
            #expect(try await cache.contains(key("a")))
            // That the use cannot be recorded is no one's problem.
            try await cache.flush()
            #expect(cache.stats.problem == nil && cache.stats.hits == 1)
        }
    }

    @Test func aReadOnlyDirectoryTellsWhatItHas() async throws {
        try await withReadOnlyCache { cache in
            let usage = try await cache.usage()
            #expect(usage.count == 1 && usage.byteCount > 300)
            let names = Shared<[String]>([])
            try await cache.forEachEntry { entry in names.withLock { $0.append(entry.key.source) } }
            #expect(names.now == ["a"])
            await #expect(throws: TintypeError.self) { try await cache.clear() }
            #expect(try await cache.contains(key("a")))
        }
    }

    @Test func whatCannotBeWrittenIsToldAndLosesNothingThatIsThere() async throws {
        try await withReadOnlyCache { cache in
            cache.store(entry, for: key("b"))
            await #expect(throws: TintypeError.self) { try await cache.flush() }
            #expect(cache.stats.problem?.code == .unwritable && cache.stats.turnedAway == 1)
            // Told once.
            try await cache.flush()
            cache.store(entry, for: key("c"))
            #expect(cache.stats.turnedAway == 2)
            #expect(try await cache.entry(for: key("a"))?.data == entry.data)
        }
    }

    @Test func aReadOnlyCacheOfAnotherUsersIsInherited() async throws {
        try await withReadOnlyCache { bundled in
            let cache = DiskCache(
                directory: folder.url.appending(path: "own"), inherited: [.tintype(bundled.directory)])
            #expect(try await cache.entry(for: key("a"))?.data == entry.data)
            cache.store(entry, for: key("b"))
            try await cache.flush()
            #expect(try await cache.entry(for: key("b")) != nil)
        }
    }
}

@Suite struct WriteHealthTests {
    private let error = TintypeError(.unwritable, stage: .store, "full")

    @Test func theFirstFailureIsLoggedAndTheNextAfterASuccess() {
        var health = WriteHealth()
        let first = health.failed(error, at: .seconds(1))
        let second = health.failed(error, at: .seconds(2))
        health.succeeded()
        let problem = health.problem
        let third = health.failed(error, at: .seconds(3))
        #expect(first && !second && problem == nil && third)
    }

    @Test func writingRestsForAWhileAfterAFailure() {
        var health = WriteHealth()
        #expect(health.allowsWriting(at: .zero))
        _ = health.failed(error, at: .seconds(1))
        #expect(!health.allowsWriting(at: .seconds(1) + WriteHealth.pause - .nanoseconds(1)))
        #expect(health.allowsWriting(at: .seconds(1) + WriteHealth.pause))
    }

    @Test func theFirstProblemIsTakenOnce() {
        var health = WriteHealth()
        _ = health.failed(error, at: .zero)
        _ = health.failed(TintypeError(.cancelled, stage: .store, "later"), at: .zero)
        let (first, second) = (health.takeProblem(), health.takeProblem())
        #expect(first?.code == .unwritable && second == nil)
    }
}
