import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeDisk

@Suite(.timeLimited, .eachStorage) struct DiskLimitTests {
    private let folder: TemporaryFolder
    private let clock = ManualClock()

    init() throws {
        folder = try TemporaryFolder()
    }

    private func cache(_ limits: DiskLimits = DiskLimits()) -> DiskCache {
        diskCache(directory: folder.url, limits: limits, time: clock.timeSource)
    }

    private func entry(created: Date? = nil, expires: Date? = nil) -> CacheEntry {
        CacheEntry(
            data: Data(repeating: 1, count: 500), format: .png, created: created ?? clock.date, expires: expires)
    }

    private func key(_ name: String) -> CacheKey { CacheKey(source: name) }

    @Test func theDefaultsAreFinite() {
        let limits = DiskLimits()
        #expect(limits.byteCount == 1_000_000_000 && limits.count == .max)
        #expect(limits.age == .seconds(7 * 24 * 3600) && limits.expiry == .access)
    }

    @Test func theCountStaysWithinItsLimit() async throws {
        let cache = cache(DiskLimits(count: 5))
        for number in 0..<20 {
            cache.store(entry(), for: key("\(number)"))
            try await cache.flush()
            clock.advance(by: .seconds(1))
        }
        #expect(try await cache.usage().count == 5)
        #expect(try await cache.contains(key("19")))
        #expect(cache.stats.evictions == 15)
    }

    /// The entries are stored in the order a, b, c and created in the order c, b, a. Then a is used and b is amended.
    @Test(arguments: [
        (DiskLimits.Expiry.access, "b"), (.modification, "a"), (.creation, "c"), (.change, "a"),
    ])
    func theOldestEntryByTheChosenTimeIsEvictedFirst(_ expiry: DiskLimits.Expiry, _ first: String) async throws {
        let cache = cache(DiskLimits(count: 3, expiry: expiry))
        for (index, name) in ["a", "b", "c"].enumerated() {
            cache.store(entry(created: clock.date.addingTimeInterval(-1000 * Double(index))), for: key(name))
            try await cache.flush()
            clock.advance(by: .seconds(100))
        }
        for name in ["a", "c"] { _ = try await cache.entry(for: key(name)) }
        try await cache.flush()
        clock.advance(by: .seconds(100))
        cache.store(entry(), for: key("d"))
        try await cache.flush()
        for name in ["a", "b", "c", "d"] { #expect(try await cache.contains(key(name)) == (name != first)) }
    }

    @Test func amendingAnEntryKeepsItsModificationTime() async throws {
        let cache = cache()
        cache.store(entry(), for: key("a"))
        try await cache.flush()
        let stored = clock.date
        clock.advance(by: .seconds(100))
        #expect(try await cache.amend(key("a")) { $0.extended = Data("mine".utf8) })
        #expect(try await !cache.amend(key("b")) { $0.extended = Data() })
        try await cache.flush()
        #expect(try await self.cache().entry(for: key("a"))?.extended == Data("mine".utf8))
        let facts = Shared<[DiskEntryFacts]>([])
        try await cache.forEachEntry { entry in facts.withLock { $0.append(entry) } }
        #expect(facts.now.map(\.modified) == [stored])
    }

    @Test func anExpiredEntryIsAMissAndIsRemoved() async throws {
        let cache = cache()
        cache.store(entry(expires: clock.date.addingTimeInterval(60)), for: key("waiting"))
        #expect(try await cache.entry(for: key("waiting")) != nil)
        cache.store(entry(expires: clock.date.addingTimeInterval(60)), for: key("a"))
        cache.store(entry(expires: clock.date.addingTimeInterval(60)), for: key("unasked"))
        try await cache.flush()
        clock.advance(by: .seconds(60))
        #expect(try await cache.entry(for: key("a")) == nil)
        #expect(try await !cache.contains(key("a")))
        cache.store(entry(), for: key("new"))
        try await cache.flush()
        #expect(try await cache.usage().count == 1)
    }

    @Test func settingTheClockBackLosesNoEntryAndKeepsNoneForever() async throws {
        let ahead = ManualClock(start: clock.date.addingTimeInterval(1_000_000_000))
        let future = diskCache(directory: folder.url, time: ahead.timeSource)
        future.store(entry(), for: key("a"))
        try await future.flush()
        let cache = cache()
        #expect(try await cache.entry(for: key("a")) != nil)
        cache.store(entry(), for: key("b"))
        try await cache.flush()
        #expect(try await cache.contains(key("a")))
        clock.advance(by: .seconds(8 * 24 * 3600))
        cache.store(entry(), for: key("c"))
        try await cache.flush()
        #expect(try await !cache.contains(key("a")))
        #expect(try await !cache.contains(key("b")))
    }

    @Test(arguments: DiskLimits.Expiry.allCases)
    func anEntryThatIsTooOldIsAMissBeforeItIsEvicted(_ expiry: DiskLimits.Expiry) async throws {
        let cache = cache(DiskLimits(age: .seconds(3600), expiry: expiry))
        cache.store(entry(), for: key("a"))
        try await cache.flush()
        clock.advance(by: .seconds(3600))
        #expect(try await cache.contains(key("a")))
        clock.advance(by: .seconds(1))
        #expect(try await !cache.contains(key("a")))
        #expect(try await !cache.amend(key("a")) { $0.extended = Data([1]) })
        #expect(try await cache.entry(for: key("a")) == nil)
        #expect(try await cache.usage().count == 0)
    }

    @Test func entriesThatAreTooOldAreRemovedInSmallSteps() async throws {
        let cache = cache()
        for number in 0..<100 { cache.store(entry(), for: key("\(number)")) }
        try await cache.flush()
        clock.advance(by: .seconds(8 * 24 * 3600))
        // Segments are searched as a whole, at most once a minute.
        let expected = CacheStorage.current == .files ? [69, 38, 7, 4] : [1, 2, 3, 4]
        for (step, left) in expected.enumerated() {
            cache.store(entry(), for: key("new \(step)"))
            #expect(try await cache.usage().count == left)
        }
    }

    @Test func trimmingRemovesEveryExpiredEntry() async throws {
        let cache = cache()
        for number in 0..<100 {
            let expires = number % 2 == 0 ? clock.date.addingTimeInterval(60) : nil
            cache.store(entry(expires: expires), for: key("\(number)"))
        }
        try await cache.flush()
        clock.advance(by: .seconds(60))
        #expect(try await cache.trim().count == 50)
        clock.advance(by: .seconds(8 * 24 * 3600))
        #expect(try await cache.trim().count == 50)
        #expect(try await cache.usage() == DiskUsage())
    }

    @Test func aUseResetsTheAgeThatCountsFromUses() async throws {
        let cache = cache(DiskLimits(age: .seconds(3600)))
        cache.store(entry(), for: key("a"))
        try await cache.flush()
        for _ in 0..<3 {
            clock.advance(by: .seconds(3000))
            #expect(try await cache.entry(for: key("a")) != nil)
            try await cache.flush()
        }
    }

    @Test func theFirstUseIsRecordedImmediately() async throws {
        let cache = cache(DiskLimits(count: 3))
        for name in ["a", "b", "c"] {
            cache.store(entry(), for: key(name))
            try await cache.flush()
            clock.advance(by: .milliseconds(1))
        }
        _ = try await cache.entry(for: key("a"))
        cache.store(entry(), for: key("d"))
        try await cache.flush()
        for name in ["a", "b", "c", "d"] { #expect(try await cache.contains(key(name)) == (name != "b")) }
    }

    @Test func anExpiredEntryIsNeitherContainedNorAmended() async throws {
        let cache = cache()
        for flushes in [false, true] {
            cache.store(entry(expires: clock.date.addingTimeInterval(60)), for: key("a"))
            if flushes { try await cache.flush() }
            #expect(try await cache.contains(key("a")))
            clock.advance(by: .seconds(60))
            #expect(try await !cache.contains(key("a")))
            #expect(try await !cache.amend(key("a")) { $0.extended = Data([1]) })
            #expect(try await cache.entry(for: key("a")) == nil)
        }
    }

    @Test(arguments: [Date.distantPast, Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: 1e-6)])
    func anEntryStoredAfterItsExpiryIsAMiss(_ expires: Date) async throws {
        let cache = cache()
        cache.store(entry(expires: expires), for: key("a"))
        try await cache.flush()
        #expect(try await self.cache().entry(for: key("a")) == nil)
    }

    @Test func anEntryThatNoFileCanHoldIsRefused() async throws {
        let cache = cache()
        var large = entry()
        large.extended = Data(count: EntryHeader.maximumPartLength + 1)
        cache.store(large, for: key("a"))
        cache.store(entry(), for: key(String(repeating: "k", count: EntryHeader.maximumPartLength + 1)))
        try await cache.flush()
        #expect(cache.stats.refusals == 2 && cache.stats.writes == 0)
    }

    @Test func usesAreRecordedAtMostOnceAMinute() async throws {
        let cache = cache()
        cache.store(entry(), for: key("a"))
        try await cache.flush()
        /// The recorded use: the file's access time, or the one in the slot.
        func recorded() throws -> DiskTime {
            guard CacheStorage.current == .files else {
                let segments = try #require(cache.currentSegments())
                return try #require(segments.records(by: .access).first).accessed
            }
            var status = stat()
            stat(cache.path(for: key("a")), &status)
            return DiskTime(status.st_atim)
        }
        clock.advance(by: .seconds(10))
        _ = try await cache.entry(for: key("a"))
        try await cache.flush()
        let first = try recorded()
        #expect(first == DiskTime(clock.date))
        clock.advance(by: .seconds(59))
        _ = try await cache.entry(for: key("a"))
        try await cache.flush()
        #expect(try recorded() == first)
        clock.advance(by: .seconds(1))
        _ = try await cache.entry(for: key("a"))
        try await cache.flush()
        #expect(try recorded() == DiskTime(clock.date))
    }
}
