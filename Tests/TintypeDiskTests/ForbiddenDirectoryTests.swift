import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeDisk

/// Directories without write or search permission. Permissions do not bind the superuser, for whom the tests mount a
/// read-only file system. They are skipped if that is not allowed.
@Suite(.timeLimited) struct ForbiddenDirectoryTests {
    private let folder: TemporaryFolder
    private let clock = ManualClock()
    private let entry = CacheEntry(data: Data(repeating: 7, count: 300), format: .png)

    init() throws {
        folder = try TemporaryFolder()
    }

    private func key(_ name: String) -> CacheKey { CacheKey(source: name) }

    /// Runs `body` with a cache whose directory contains the entry `a` and is read-only.
    private func withReadOnlyCache(_ body: (DiskCache) async throws -> Void) async throws {
        let path = folder.url.appending(path: "disk").path(percentEncoded: false)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let isMounted = geteuid() == 0 && mount("tmpfs", path, "tmpfs", 0, "size=4m") == 0
        guard isMounted || geteuid() != 0 else { return print("skipped: this user may not mount a file system") }
        defer {
            if isMounted { umount2(path, Int32(MNT_DETACH)) } else { Self.setMode(0o700, below: path) }
        }
        try await fill(path)
        if isMounted {
            try await Self.forbidWriting(path)
        } else {
            Self.setMode(0o500, below: path)
        }
        try await body(diskCache(directory: URL(filePath: path), time: clock.timeSource))
    }

    /// Remounts the file system read-only. Retries while a file of the writer is still open for writing.
    private static func forbidWriting(_ path: String) async throws {
        while mount("tmpfs", path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), "size=4m") != 0 {
            try #require(errno == EBUSY)
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    private func fill(_ path: String) async throws {
        let writer = diskCache(directory: URL(filePath: path), time: clock.timeSource)
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

    @Test func aReadOnlyDirectoryServesItsEntries() async throws {
        try await withReadOnlyCache { cache in
            #expect(try await cache.entry(for: key("a"))?.data == entry.data)
            #expect(try await cache.contains(key("a")))
            // A use that cannot be recorded is not an error.
            try await cache.flush()
            #expect(cache.stats.problem == nil && cache.stats.hits == 1)
        }
    }

    @Test func aReadOnlyDirectoryReportsItsEntries() async throws {
        try await withReadOnlyCache { cache in
            let usage = try await cache.usage()
            #expect(usage.count == 1 && usage.byteCount > 300)
            let names = Shared<[String]>([])
            try await cache.forEachEntry { entry in names.withLock { $0.append(entry.key.source) } }
            #expect(names.now == ["a"])
            await expectError(.unwritable) { try await cache.clear() }
            #expect(try await cache.contains(key("a")))
        }
    }

    @Test func aFailedWriteIsReportedAndLosesNoStoredEntry() async throws {
        try await withReadOnlyCache { cache in
            cache.store(entry, for: key("b"))
            await expectError(.unwritable) { try await cache.flush() }
            #expect(cache.stats.problem?.code == .unwritable && cache.stats.refusals == 1)
            // The error is reported once.
            try await cache.flush()
            cache.store(entry, for: key("c"))
            #expect(cache.stats.refusals == 2)
            #expect(try await cache.entry(for: key("a"))?.data == entry.data)
        }
    }

    @Test func aReadOnlyCacheOfAnotherUserCanBeInherited() async throws {
        try await withReadOnlyCache { bundled in
            let cache = diskCache(
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

    @Test func onlyTheFirstFailureAfterASuccessIsLogged() {
        var health = WriteHealth()
        let first = health.failed(error, at: .seconds(1))
        let second = health.failed(error, at: .seconds(2))
        health.succeeded()
        let problem = health.problem
        let third = health.failed(error, at: .seconds(3))
        #expect(first && !second && problem == nil && third)
    }

    @Test func writingPausesAfterAFailure() {
        var health = WriteHealth()
        #expect(health.allowsWriting(at: .zero))
        _ = health.failed(error, at: .seconds(1))
        #expect(!health.allowsWriting(at: .seconds(1) + WriteHealth.pause - .nanoseconds(1)))
        #expect(health.allowsWriting(at: .seconds(1) + WriteHealth.pause))
        health.succeeded()
        #expect(health.allowsWriting(at: .seconds(2)))
    }

    @Test func theFirstProblemIsReportedOnce() {
        var health = WriteHealth()
        _ = health.failed(error, at: .zero)
        _ = health.failed(TintypeError(.cancelled, stage: .store, "later"), at: .zero)
        let (first, second) = (health.takeProblem(), health.takeProblem())
        #expect(first?.code == .unwritable && second == nil)
    }
}
