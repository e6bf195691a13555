import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeShared

@Suite(.timeLimited) struct TieredDataCacheTests {
    /// A tier in memory.
    private final class Tier: RemoteDataCaching {
        let entries = Shared<[CacheKey: CacheEntry]>([:])
        let reads = Shared(0)
        let flushes = Shared(0)
        /// Called during a read, after the entry was looked up.
        let duringRead = Shared<(@Sendable () -> Void)?>(nil)
        let error: TintypeError?
        let hasRemoteEntries: Bool

        init(error: TintypeError? = nil, isRemote: Bool = false) {
            self.error = error
            hasRemoteEntries = isRemote
        }

        func localEntry(for key: CacheKey) -> CacheEntry? { hasRemoteEntries ? nil : entry(for: key) }
        func remoteEntry(for key: CacheKey) async -> CacheEntry? { hasRemoteEntries ? entry(for: key) : nil }

        func entry(for key: CacheKey) -> CacheEntry? {
            reads.withLock { $0 += 1 }
            let entry = entries.now[key]
            duringRead.now?()
            return entry
        }
        func store(_ entry: CacheEntry, for key: CacheKey) { entries.withLock { $0[key] = entry } }
        func remove(_ key: CacheKey) { entries.withLock { $0[key] = nil } }
        func contains(_ key: CacheKey) -> Bool { entries.now[key] != nil }
        func removeAll() async throws(TintypeError) {
            entries.withLock { $0 = [:] }
            if let error { throw error }
        }
        func flush() async throws(TintypeError) {
            flushes.withLock { $0 += 1 }
            if let error { throw error }
        }
    }

    private let key = CacheKey(source: "https://example.org/a.png")
    private let entry = CacheEntry(data: Data([1]), format: .png, expires: Date(timeIntervalSince1970: 2_000_000_000))
    private let tiers = [Tier(), Tier(), Tier()]
    private var cache: TieredDataCache { TieredDataCache(tiers) }

    private func holders() -> [Bool] { tiers.map { $0.contains(key) } }

    @Test(arguments: [0, 1, 2]) func aHitFillsTheTiersBeforeIt(_ index: Int) {
        tiers[index].store(entry, for: key)
        let read = cache.entry(for: key)
        #expect(read?.data == entry.data && read?.expires == entry.expires)
        #expect(holders() == (0..<3).map { $0 <= index })
        #expect(tiers.map(\.reads.now) == (0..<3).map { $0 <= index ? 1 : 0 })
    }

    @Test func aMissAsksAllTiersAndStoresNothing() {
        #expect(cache.entry(for: key) == nil && holders() == [false, false, false])
        #expect(tiers.map(\.reads.now) == [1, 1, 1])
    }

    @Test func storesAndRemovalsReachAllTiers() {
        let cache = cache
        cache.store(entry, for: key)
        #expect(holders() == [true, true, true] && cache.contains(key))
        cache.remove(key)
        #expect(holders() == [false, false, false] && !cache.contains(key))
    }

    @Test func aTierThatFailsKeepsNoOtherFromBeingClearedOrFlushed() async {
        let failure = TintypeError(.unwritable, stage: .store, "the disk is full")
        let tiers = [Tier(error: failure), Tier()]
        let cache = TieredDataCache(tiers)
        cache.store(entry, for: key)
        await expectError(.unwritable) { try await cache.removeAll() }
        await expectError(.unwritable) { try await cache.flush() }
        #expect(!tiers[1].contains(key) && tiers[1].flushes.now == 1)
    }

    @Test func anEntryThatIsRemovedWhileItIsReadDoesNotComeBack() {
        let (cache, key) = (cache, key)
        tiers[2].store(entry, for: key)
        tiers[2].duringRead.withLock { $0 = { cache.remove(key) } }
        #expect(cache.entry(for: key) != nil)
        #expect(holders() == [false, false, false])
    }

    @Test func anOlderEntryThatIsReadDoesNotReplaceANewerOne() {
        let (cache, key) = (cache, key)
        tiers[2].store(entry, for: key)
        tiers[2].duringRead.withLock { $0 = { cache.store(CacheEntry(data: Data([2]), format: .png), for: key) } }
        _ = cache.entry(for: key)
        tiers[2].duringRead.withLock { $0 = nil }
        #expect(cache.entry(for: key)?.data == Data([2]))
    }

    // MARK: Remote tiers

    /// A tier on this machine before two on others.
    private let mixed = [Tier(), Tier(isRemote: true), Tier(isRemote: true)]

    @Test func localReadsAskNoOtherMachine() async {
        let cache = TieredDataCache(mixed)
        for tier in mixed.dropFirst() { tier.store(entry, for: key) }
        #expect(cache.hasRemoteEntries && cache.localEntry(for: key) == nil)
        #expect(mixed.map(\.reads.now) == [1, 0, 0])
        #expect(!TieredDataCache(tiers).hasRemoteEntries)
    }

    @Test func aHitOnAnotherMachineFillsTheTiersBeforeIt() async {
        let cache = TieredDataCache(mixed)
        mixed[2].store(entry, for: key)
        #expect(await cache.remoteEntry(for: key)?.data == entry.data)
        #expect(mixed.map { $0.contains(key) } == [true, true, true] && mixed.map(\.reads.now) == [0, 1, 1])
        #expect(cache.localEntry(for: key)?.data == entry.data)
        #expect(await cache.remoteEntry(for: CacheKey(source: "b")) == nil)
    }

    @Test func anEntryThatIsRemovedWhileAnotherMachineSendsItDoesNotComeBack() async {
        let (cache, key) = (TieredDataCache(mixed), key)
        mixed[2].store(entry, for: key)
        mixed[2].duringRead.withLock { $0 = { cache.remove(key) } }
        #expect(await cache.remoteEntry(for: key) != nil)
        #expect(mixed.allSatisfy { !$0.contains(key) })
    }

    @Test func aCacheWithoutTiersIsEmpty() async throws {
        let cache = TieredDataCache([])
        cache.store(entry, for: key)
        #expect(cache.entry(for: key) == nil && !cache.contains(key))
        try await cache.removeAll()
        try await cache.flush()
    }

    @Test func changesConcernOnlyReadsThatRun() {
        var reads = RunningReads()
        let key = key
        reads.change(key)
        #expect(reads.isEmpty)
        let (first, second) = (reads.begin(key), reads.begin(key))
        reads.end(first)
        #expect(reads.isCurrent(second))
        reads.change(key)
        let third = reads.begin(key)
        #expect(!reads.isCurrent(second) && reads.isCurrent(third))
        reads.end(second)
        reads.changeAll()
        #expect(!reads.isCurrent(third))
        reads.end(third)
        #expect(reads.isEmpty)
    }
}
