import Foundation
import MetricsTestKit
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeShared

@Suite(.timeLimited) struct SharedCacheTests {
    // MARK: Reading and writing

    @Test func anotherMachineReadsWhatOneHasStored() async {
        let fixture = SharedFixture()
        fixture.cache.store(fixture.entry, for: fixture.key)
        await fixture.cache.flush()
        let other = fixture.otherMachine()
        let read = await other.entry(for: fixture.key)
        #expect(read?.data == fixture.entry.data && read?.metadata == fixture.entry.metadata && read?.format == .png)
        #expect(blockingEntry(other, fixture.key)?.data == fixture.entry.data)
        #expect(other.contains(fixture.key) && !other.contains(CacheKey(source: "https://example.org/b.png")))
        #expect(fixture.store.keys == [fixture.name])
        #expect(other.stats.hits == 2 && fixture.cache.stats.writes == 1)
    }

    @Test func aMissingKeyIsAMiss() async {
        let fixture = SharedFixture()
        #expect(await fixture.cache.entry(for: fixture.key) == nil)
        #expect(blockingEntry(fixture.cache, fixture.key) == nil)
        #expect(fixture.cache.stats.misses == 2 && fixture.cache.stats.hitRatio == 0)
    }

    @Test func readsSeeWhatWaitsToBeWritten() async {
        let fixture = SharedFixture()
        let gate = Gate()
        fixture.store.behave(.gated(gate), in: [.write])
        fixture.cache.store(fixture.entry, for: fixture.key)
        #expect(blockingEntry(fixture.cache, fixture.key)?.data == fixture.entry.data)
        await gate.waitForArrivals(1)
        #expect(await fixture.cache.entry(for: fixture.key)?.data == fixture.entry.data)
        #expect(fixture.cache.contains(fixture.key) && fixture.store.count(.read) == 0)
        #expect(fixture.cache.stats.queued == 1 && fixture.cache.stats.queuedBytes > fixture.entry.data.count)
        gate.open()
        await fixture.cache.flush()
        #expect(fixture.cache.stats.queued == 0 && fixture.store.keys == [fixture.name])
    }

    @Test func onlyWhatWaitsToBeWrittenIsLocal() async {
        let fixture = SharedFixture()
        let gate = Gate()
        fixture.store.behave(.gated(gate), in: [.write])
        fixture.cache.store(fixture.entry, for: fixture.key)
        #expect(fixture.cache.localEntry(for: fixture.key)?.data == fixture.entry.data)
        gate.open()
        await fixture.cache.flush()
        #expect(fixture.cache.localEntry(for: fixture.key) == nil && fixture.cache.hasRemoteEntries)
        #expect(await fixture.cache.remoteEntry(for: fixture.key)?.data == fixture.entry.data)
        #expect(fixture.store.count(.read) == 1)
    }

    @Test func aCancelledReadIsNoFailure() async {
        let fixture = SharedFixture()
        let gate = Gate()
        fixture.store.behave(.gated(gate), in: [.read])
        let (cache, key) = (fixture.cache, fixture.key)
        for count in 1...6 {
            let read = Task { await cache.entry(for: key) }
            await gate.waitForArrivals(count)
            read.cancel()
            #expect(await read.value == nil)
        }
        #expect(cache.stats.failures == 0 && cache.stats.breaker == .closed)
    }

    @Test func atMostFourWritesRunAtOnce() async {
        let fixture = SharedFixture()
        let gate = Gate()
        fixture.store.behave(.gated(gate), in: [.write])
        for index in 0..<12 {
            fixture.cache.store(fixture.entry, for: CacheKey(source: "https://example.org/\(index)"))
        }
        await gate.waitForArrivals(4)
        #expect(fixture.store.count(.write) == 4)
        gate.open()
        await fixture.cache.flush()
        #expect(fixture.store.keys.count == 12)
    }

    @Test func theOldestWritesAreDroppedAndCountedWhenTooManyBytesWait() async {
        let fixture = SharedFixture { $0.queueByteLimit = 10_000 }
        let gate = Gate()
        fixture.store.behave(.gated(gate), in: [.write])
        let keys = (0..<30).map { CacheKey(source: "https://example.org/\($0)") }
        let entry = CacheEntry(data: Data(count: 1000), format: nil)
        for key in keys.prefix(4) { fixture.cache.store(entry, for: key) }
        await gate.waitForArrivals(4)
        for key in keys.dropFirst(4) { fixture.cache.store(entry, for: key) }
        #expect(fixture.cache.stats.queuedBytes <= 10_000)
        gate.open()
        await fixture.cache.flush()
        let stats = fixture.cache.stats
        #expect(stats.dropped > 0 && stats.writes + stats.dropped == 30)
        #expect(fixture.store.data(for: SharedName.entry(keys[29])) != nil)
        #expect(fixture.store.data(for: SharedName.entry(keys[4])) == nil)
    }

    @Test func theLastOfSeveralWritesWins() async {
        let fixture = SharedFixture()
        let gate = Gate()
        fixture.store.behave(.gated(gate), in: [.write])
        fixture.cache.store(CacheEntry(data: Data([1]), format: nil), for: fixture.key)
        await gate.waitForArrivals(1)
        for byte: UInt8 in 2...9 { fixture.cache.store(CacheEntry(data: Data([byte]), format: nil), for: fixture.key) }
        gate.open()
        await fixture.cache.flush()
        #expect(fixture.store.count(.write) == 2)
        #expect(await fixture.otherMachine().entry(for: fixture.key)?.data == Data([9]))
    }

    @Test func aRemovalAfterAWriteWins() async {
        let fixture = SharedFixture()
        let gate = Gate()
        fixture.store.behave(.gated(gate), in: [.write])
        fixture.cache.store(fixture.entry, for: fixture.key)
        await gate.waitForArrivals(1)
        fixture.cache.remove(fixture.key)
        #expect(blockingEntry(fixture.cache, fixture.key) == nil && !fixture.cache.contains(fixture.key))
        gate.open()
        await fixture.cache.flush()
        #expect(fixture.store.keys.isEmpty)
    }

    @Test func clearingHidesWhatIsInTheStoreAndLeavesItThere() async {
        let fixture = SharedFixture()
        fixture.cache.store(fixture.entry, for: fixture.key)
        await fixture.cache.flush()
        fixture.cache.removeAll()
        #expect(await fixture.cache.entry(for: fixture.key) == nil && !fixture.cache.contains(fixture.key))
        #expect(await fixture.otherMachine().entry(for: fixture.key) != nil)
        fixture.clock.advance(by: .seconds(1))
        fixture.cache.store(fixture.entry, for: fixture.key)
        await fixture.cache.flush()
        #expect(await fixture.cache.entry(for: fixture.key) != nil && fixture.cache.contains(fixture.key))
    }

    // MARK: What is not stored

    @Test func keysOfOneMachineOrOneUserReachNoStore() async {
        let fixture = SharedFixture()
        for source in ["file:///tmp/a.png", "closure:a", "https://example.org/a.png\nheaders 00"] {
            let key = CacheKey(source: source)
            fixture.cache.store(fixture.entry, for: key)
            fixture.cache.remove(key)
            await fixture.cache.flush()
            #expect(await fixture.cache.entry(for: key) == nil && !fixture.cache.contains(key))
        }
        #expect(FakeSharedStore.Call.allCases.allSatisfy { fixture.store.count($0) == 0 })
    }

    @Test func anOversizedEntryReplacesAnOlderOneByNothing() async {
        let fixture = SharedFixture(maximumValueSize: 500)
        fixture.cache.store(fixture.entry, for: fixture.key)
        await fixture.cache.flush()
        fixture.cache.store(CacheEntry(data: Data(count: 500), format: nil), for: fixture.key)
        #expect(blockingEntry(fixture.cache, fixture.key) == nil)
        await fixture.cache.flush()
        #expect(fixture.store.keys.isEmpty && fixture.store.count(.write) == 1 && fixture.cache.stats.oversized == 1)
    }

    // MARK: Time to live

    @Test(arguments: [(0.0, 90), (0.5, 100), (0.999_999, 109)])
    func theTimeToLiveVariesByTenPercent(_ random: Double, _ seconds: Int) async throws {
        let fixture = SharedFixture(random: random) { $0.timeToLive = .seconds(100) }
        fixture.cache.store(fixture.entry, for: fixture.key)
        await fixture.cache.flush()
        let life = try #require(fixture.store.timeToLive(of: fixture.name))
        #expect(life.components.seconds == seconds)
    }

    @Test func theStoreForgetsAnEntryAtItsExpiryDate() async throws {
        let fixture = SharedFixture { $0.timeToLive = .seconds(100) }
        var entry = fixture.entry
        entry.expires = fixture.clock.date.addingTimeInterval(10)
        fixture.cache.store(entry, for: fixture.key)
        await fixture.cache.flush()
        #expect(fixture.store.timeToLive(of: fixture.name) == .seconds(10))
    }

    @Test func anEntryIsNeverServedPastItsEndEvenIfTheStoreStillHasIt() async throws {
        let fixture = SharedFixture { $0.timeToLive = .seconds(100) }
        var expiring = fixture.entry
        expiring.expires = fixture.clock.date.addingTimeInterval(10)
        let other = CacheKey(source: "https://example.org/b.png")
        fixture.cache.store(expiring, for: fixture.key)
        fixture.cache.store(fixture.entry, for: other)
        await fixture.cache.flush()
        // A store that ignores times to live.
        for key in fixture.store.keys { fixture.store.setData(try #require(fixture.store.data(for: key)), for: key) }
        fixture.clock.advance(by: .milliseconds(9999))
        #expect(await fixture.cache.entry(for: fixture.key) != nil)
        fixture.clock.advance(by: .milliseconds(1))
        #expect(await fixture.cache.entry(for: fixture.key) == nil)
        #expect(blockingEntry(fixture.cache, fixture.key) == nil)
        fixture.clock.advance(by: .milliseconds(89_999))
        #expect(await fixture.cache.entry(for: other) != nil)
        fixture.clock.advance(by: .milliseconds(1))
        #expect(await fixture.cache.entry(for: other) == nil)
    }

    @Test func anEntryThatExpiresWhileItWaitsIsAMiss() async {
        let fixture = SharedFixture()
        let gate = Gate()
        fixture.store.behave(.gated(gate), in: [.write])
        var entry = fixture.entry
        entry.expires = fixture.clock.date.addingTimeInterval(10)
        fixture.cache.store(entry, for: fixture.key)
        await gate.waitForArrivals(1)
        fixture.clock.advance(by: .seconds(10))
        #expect(blockingEntry(fixture.cache, fixture.key) == nil && !fixture.cache.contains(fixture.key))
        gate.open()
        await fixture.cache.flush()
    }

    @Test func anExpiredEntryIsNotWritten() async {
        let fixture = SharedFixture()
        var entry = fixture.entry
        entry.expires = fixture.clock.date
        fixture.cache.store(entry, for: fixture.key)
        await fixture.cache.flush()
        #expect(fixture.store.count(.write) == 0 && fixture.store.keys.isEmpty)
    }

    // MARK: Metrics

    @Test func everythingIsRecordedForEachStore() async throws {
        let metrics = TestMetrics()
        let (clock, store) = (ManualClock(), FakeSharedStore(name: "redis"))
        let cache = SharedCache(store, metrics: metrics, clock: .manual(clock))
        let key = CacheKey(source: "https://example.org/a.png")
        _ = await cache.entry(for: key)
        cache.store(CacheEntry(data: Data([1]), format: nil), for: key)
        await cache.flush()
        _ = await cache.entry(for: key)
        func total(_ label: String, _ result: String) throws -> Int64 {
            try metrics.expectCounter(label, [("store", "redis"), ("result", result)]).totalValue
        }
        #expect(try total("tintype_shared_lookups", "miss") == 1)
        #expect(try total("tintype_shared_lookups", "hit") == 1)
        #expect(try total("tintype_shared_writes", "success") == 1)
        #expect(try metrics.expectTimer("tintype_shared_lookup_duration", [("store", "redis")]).values.count == 2)
        #expect(try metrics.expectGauge("tintype_shared_queue_bytes", [("store", "redis")]).lastValue == 0)
        #expect(try metrics.expectGauge("tintype_shared_breaker", [("store", "redis")]).lastValue == 0)
        store.behave(.failure(SharedFixture.failure))
        for _ in 0..<6 { _ = await cache.entry(for: key) }
        #expect(try total("tintype_shared_lookups", "failure") == 5)
        #expect(try total("tintype_shared_lookups", "skipped") == 1)
        #expect(try metrics.expectGauge("tintype_shared_breaker", [("store", "redis")]).lastValue == 2)
    }
}
