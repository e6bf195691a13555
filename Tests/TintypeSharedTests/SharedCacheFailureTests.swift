import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeShared

@Suite(.timeLimited) struct SharedCacheFailureTests {
    @Test func aFailureIsAMissAndFiveOpenTheBreaker() async {
        let fixture = SharedFixture()
        fixture.store.behave(.failure(SharedFixture.failure))
        for _ in 0..<10 { #expect(blockingEntry(fixture.cache, fixture.key) == nil) }
        let stats = fixture.cache.stats
        #expect(stats.failures == 5 && stats.skipped == 5 && stats.breaker == .open)
        #expect(fixture.store.count(.read) == 5)
        #expect(!fixture.cache.contains(fixture.key))
    }

    @Test func theTierIsUsedAgainAfterAProbe() async {
        let fixture = SharedFixture()
        fixture.cache.store(fixture.entry, for: fixture.key)
        await fixture.cache.flush()
        fixture.store.behave(.failure(SharedFixture.failure))
        for _ in 0..<5 { _ = await fixture.cache.entry(for: fixture.key) }
        fixture.store.behave(.normal)
        #expect(await fixture.cache.entry(for: fixture.key) == nil)
        fixture.clock.advance(by: .seconds(1))
        #expect(fixture.cache.stats.breaker == .halfOpen)
        #expect(await fixture.cache.entry(for: fixture.key) != nil)
        #expect(fixture.cache.stats.breaker == .closed)
    }

    @Test func aStoreThatHangsAndIgnoresCancellationIsAMissAfterTheLimit() async {
        let fixture = SharedFixture { $0.readLimit = .milliseconds(5) }
        fixture.store.behave(.hanging)
        for _ in 0..<6 { #expect(blockingEntry(fixture.cache, fixture.key) == nil) }
        #expect(fixture.cache.stats.failures == 3 && fixture.cache.stats.skipped == 3)
        fixture.store.endHangs()
    }

    @Test func asyncReadsOfAStoreThatHangsEndAfterTheLimit() async {
        let clock = ManualClock()
        let store = FakeSharedStore()
        store.behave(.hanging)
        let cache = SharedCache(store, clock: .impatient(clock))
        #expect(await cache.entry(for: CacheKey(source: "https://example.org/a.png")) == nil)
        #expect(cache.stats.failures == 1)
        store.endHangs()
    }

    /// As many blocking reads as there are cooperative threads, and more: their calls run elsewhere.
    @Test func blockingReadsOnAllCooperativeThreadsEnd() async {
        let fixture = SharedFixture()
        fixture.cache.store(fixture.entry, for: fixture.key)
        await fixture.cache.flush()
        var configuration = SharedCacheConfiguration()
        configuration.readLimit = .seconds(60)
        configuration.readWait = .seconds(60)...Duration.seconds(60)
        let other = SharedCache(fixture.store, configuration: configuration, clock: .manual(fixture.clock))
        let key = fixture.key
        let hits = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<64 { group.addTask { blockingEntry(other, key) != nil } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(hits == 64)
    }

    @Test func aLateAnswerIsNotUsed() async {
        let fixture = SharedFixture { $0.readLimit = .milliseconds(5) }
        fixture.cache.store(fixture.entry, for: fixture.key)
        await fixture.cache.flush()
        let gate = Gate()
        fixture.store.behave(.gated(gate), in: [.read])
        #expect(blockingEntry(fixture.cache, fixture.key) == nil)
        gate.open()
        #expect(fixture.cache.stats.failures == 1 && fixture.cache.stats.hits == 0)
    }

    @Test(arguments: [0, 9, 40, 90, 100]) func aDamagedEntryIsAMissAndIsRemoved(_ index: Int) async throws {
        let fixture = SharedFixture()
        fixture.cache.store(fixture.entry, for: fixture.key)
        await fixture.cache.flush()
        var value = try #require(fixture.store.data(for: fixture.name))
        value[index] ^= 0x10
        fixture.store.setData(value, for: fixture.name)
        #expect(blockingEntry(fixture.cache, fixture.key) == nil)
        await fixture.cache.flush()
        #expect(fixture.store.keys.isEmpty && fixture.cache.stats.damaged == 1)
        #expect(fixture.cache.stats.breaker == .closed)
    }

    @Test func theEntryOfAnotherKeyIsAMissAndIsRemoved() async throws {
        let fixture = SharedFixture()
        let other = CacheKey(source: "https://example.org/b.png")
        fixture.cache.store(fixture.entry, for: other)
        await fixture.cache.flush()
        fixture.store.setData(try #require(fixture.store.data(for: SharedName.entry(other))), for: fixture.name)
        #expect(await fixture.cache.entry(for: fixture.key) == nil)
        await fixture.cache.flush()
        #expect(fixture.store.keys == [SharedName.entry(other)])
    }

    @Test func failedWritesAreCountedAndForgotten() async {
        let fixture = SharedFixture()
        fixture.store.behave(.failure(SharedFixture.failure), in: [.write])
        for index in 0..<12 {
            fixture.cache.store(fixture.entry, for: CacheKey(source: "https://example.org/\(index)"))
        }
        await fixture.cache.flush()
        let stats = fixture.cache.stats
        #expect(stats.writeFailures == 12 && stats.queued == 0 && stats.queuedBytes == 0)
        // Up to four writes begin before the fifth failure is known.
        #expect(fixture.store.count(.write) <= 8 && stats.breaker == .open)
    }

    @Test func aFailedRemovalIsMadeWhenTheStoreAnswersAgain() async {
        let fixture = SharedFixture()
        fixture.cache.store(fixture.entry, for: fixture.key)
        await fixture.cache.flush()
        fixture.store.behave(.failure(SharedFixture.failure))
        fixture.cache.remove(fixture.key)
        await fixture.cache.flush()
        #expect(fixture.store.keys == [fixture.name])
        #expect(blockingEntry(fixture.cache, fixture.key) == nil)
        fixture.store.behave(.normal)
        _ = await fixture.cache.entry(for: CacheKey(source: "https://example.org/b.png"))
        await fixture.cache.flush()
        #expect(fixture.store.keys.isEmpty && fixture.cache.stats.queued == 0)
    }

    @Test func aFlushOfAStoreThatHangsEndsAfterTheLimit() async {
        let clock = ManualClock()
        let store = FakeSharedStore()
        store.behave(.hanging)
        // The limit of the write ends it, too.
        let cache = SharedCache(store, clock: .impatient(clock))
        cache.store(CacheEntry(data: Data([1]), format: nil), for: CacheKey(source: "https://example.org/a.png"))
        await cache.flush()
        store.endHangs()
    }

    @Test func storingAtOnceTellsWhetherTheStoreHasTheEntry() async {
        let fixture = SharedFixture(maximumValueSize: 500)
        #expect(await fixture.cache.storeNow(fixture.entry, for: fixture.key))
        #expect(fixture.store.keys == [fixture.name])
        #expect(await !fixture.cache.storeNow(CacheEntry(data: Data(count: 500), format: nil), for: fixture.key))
        #expect(await !fixture.cache.storeNow(fixture.entry, for: CacheKey(source: "closure:a")))
        fixture.store.behave(.failure(SharedFixture.failure))
        #expect(await !fixture.cache.storeNow(fixture.entry, for: fixture.key))
    }

    @Test func aReplacedWriteTellsThatItWasNotMade() async {
        let fixture = SharedFixture()
        let gate = Gate()
        fixture.store.behave(.gated(gate), in: [.write])
        let (cache, entry, key) = (fixture.cache, fixture.entry, fixture.key)
        cache.store(entry, for: key)
        await gate.waitForArrivals(1)
        async let isStored = cache.storeNow(entry, for: key)
        while cache.stats.queued < 2 { await Task.yield() }
        cache.store(entry, for: key)
        #expect(await !isStored)
        gate.open()
        await cache.flush()
    }

    @Test func callsThatNeverEndAreBounded() async {
        let clock = ManualClock()
        let caller = StoreCaller("fake", .impatient(clock))
        let store = FakeSharedStore()
        store.behave(.hanging)
        var skipped = 0
        for _ in 0..<StoreCaller.maximumCalls + 100 {
            // Past every pause, so that only the bound refuses calls.
            clock.advance(by: .seconds(60))
            let result = await caller.call(CallTime(limit: .seconds(1))) { () async throws(TintypeError) in
                try await store.value(for: "a")
            }
            if case .skipped = result { skipped += 1 }
        }
        #expect(skipped == 100)
        store.endHangs()
    }
}
