import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeDisk

/// A process without a free descriptor reads no folder. It must not take that for an empty one. The limit is that of a
/// process, so each test has a process of its own.
@Suite(.timeLimited) struct DescriptorShortageTests {
    private static func key(_ number: Int) -> CacheKey { CacheKey(source: "\(number)") }

    /// A cache with 20 entries, which does nothing in the background.
    private static func cache(in folder: TemporaryFolder) async throws -> DiskCache {
        let cache = diskCache(directory: folder.url)
        for number in 0..<20 {
            cache.store(CacheEntry(data: Data("\(number)".utf8), format: .png), for: key(number))
        }
        try await cache.flush()
        try await cache.waitForPresence()
        #expect(try await cache.usage().count == 20)
        return cache
    }

    /// Runs `body` while no more than `count` descriptors can be opened.
    private static func withDescriptors<Value>(_ count: Int, _ body: () throws -> Value) rethrows -> Value {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var full = rlimit()
        getrlimit(resource, &full)
        let free = dup(0)
        close(free)
        var limit = rlimit(rlim_cur: rlim_t(Int(free) + count), rlim_max: full.rlim_max)
        #expect(setrlimit(resource, &limit) == 0)
        defer { setrlimit(resource, &full) }
        return try body()
    }

    private static func fillsNoTableWithoutReading() async throws {
        let folder = try TemporaryFolder()
        let cache = try await cache(in: folder)
        let index = try cache.openIndex()
        for count in 0..<4 {
            unlink("\(cache.layout.home)/presence")
            #expect(PresenceTable.make(in: try WriterFolders(cache.layout)) != nil)
            cache.dropStaleEntriesHandle()
            try withDescriptors(count) {
                try cache.maintainPresence(index)
                while cache.state.withLock({ $0.isFillingPresence }) { usleep(1_000) }
            }
            if count == 0 { #expect(cache.state.withLock { $0.presence }?.isComplete == false) }
            #expect((0..<20).allSatisfy { cache.entry(for: key($0)) != nil }, "\(count) descriptors")
            try cache.maintainPresence(index)
            try await cache.waitForPresence()
            #expect((0..<20).allSatisfy { cache.entry(for: key($0)) != nil }, "\(count) descriptors, later")
        }
    }

    @Test func aFolderThatCannotBeReadIsNotFilled() async {
        await #expect(processExitsWith: .success) { try await Self.fillsNoTableWithoutReading() }
    }

    private static func removesNoRecordWithoutReading() async throws {
        let folder = try TemporaryFolder()
        let cache = try await cache(in: folder)
        let index = try cache.openIndex()
        var failureCount = 0
        for count in 0..<8 {
            try index.markUnreconciled()
            withDescriptors(count) {
                do { while try index.reconcile(cache.layout, publish: { _ in true }) {} } catch { failureCount += 1 }
            }
            #expect(try index.usage.count == 20, "\(count) descriptors")
        }
        #expect(failureCount > 1)
        while try index.reconcile(cache.layout, publish: { _ in true }) {}
        #expect(try index.usage.count == 20)
    }

    @Test func aFolderThatCannotBeReadKeepsItsRecords() async {
        await #expect(processExitsWith: .success) { try await Self.removesNoRecordWithoutReading() }
    }

    private static func clearsNothingWithoutReading() async throws {
        let folder = try TemporaryFolder()
        let cache = try await cache(in: folder)
        let entries = try EntriesHandle(cache.layout)
        for count in 0..<2 {
            expectError(.unwritable) {
                do { _ = try withDescriptors(count) { try entries.removeAll() } } catch let error as DiskFailure {
                    throw error.error
                }
            }
        }
        #expect(try entries.removeAll().count == 20)
    }

    @Test func aFolderThatCannotBeReadIsNotCleared() async {
        await #expect(processExitsWith: .success) { try await Self.clearsNothingWithoutReading() }
    }

    private static func replacesNoTableWithoutOpening() async throws {
        let folder = try TemporaryFolder()
        let folders = try WriterFolders(try await cache(in: folder).layout)
        let before = try #require(folders.home.status(of: PresenceTable.name)).st_ino
        let table = withDescriptors(0) { PresenceTable.make(in: folders) }
        #expect(table == nil && folders.home.status(of: PresenceTable.name)?.st_ino == before)
        #expect(PresenceTable.make(in: folders)?.isComplete == true)
    }

    /// Other processes use it.
    @Test func aTableThatCannotBeOpenedStays() async {
        await #expect(processExitsWith: .success) { try await Self.replacesNoTableWithoutOpening() }
    }
}
