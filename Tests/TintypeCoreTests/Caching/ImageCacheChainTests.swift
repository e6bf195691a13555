import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

@Suite(.timeLimited) struct ImageCacheChainTests {
    private let key = CacheKey(source: "a")
    private let entry = CacheEntry(data: Data([1]), format: .png)

    private func image() throws -> Image {
        Image(
            pixels: try .filled(Pixel(red: 1, green: 2, blue: 3)),
            info: ImageInfo(format: .png, size: PixelSize(width: 1, height: 1)))
    }

    private func caches() -> [ImageCache] { (0..<3).map { _ in ImageCache(disk: FakeDataCache()) } }

    private func chain(_ caches: [ImageCache], _ rule: ImageCache.ChainRule) -> any ImageCaching {
        ImageCache.chain(caches, query: rule, store: rule, remove: rule, contains: rule, clear: rule)
    }

    @Test func theDefaultRulesAreThoseOfSDWebImage() throws {
        let rules = try #require(ImageCache.chain([]) as? ImageCacheChain).rules
        #expect(rules.query == .serial && rules.store == .highestOnly && rules.remove == .concurrent)
        #expect(rules.contains == .serial && rules.clear == .concurrent)
    }

    @Test(arguments: [
        (ImageCache.ChainRule.serial, [true, true, true]), (.concurrent, [true, true, true]),
        (.highestOnly, [false, false, true]), (.lowestOnly, [true, false, false]),
    ])
    func storesAndRemovalsReachTheCachesOfTheirRule(_ rule: ImageCache.ChainRule, _ reached: [Bool]) async throws {
        let caches = caches()
        let chain = chain(caches, rule)
        chain.store(try image(), for: key)
        chain.store(entry, for: key)
        #expect(caches.map { $0.image(for: key) != nil } == reached)
        #expect(caches.map { $0.entry(for: key) != nil } == reached)
        for cache in caches { cache.store(entry, for: key) }
        try await chain.remove(key, from: .disk)
        #expect(caches.map { $0.entry(for: key) == nil } == reached)
        for cache in caches { cache.store(entry, for: key) }
        try await chain.clear(.disk)
        #expect(caches.map { $0.entry(for: key) == nil } == reached)
        #expect(caches.map { $0.image(for: key) != nil } == reached)
    }

    @Test(arguments: [
        (0, [true, true, false, true]), (1, [true, true, false, false]), (2, [true, true, true, false]),
    ])
    func readsReachTheCachesOfTheirRule(_ holder: Int, _ hits: [Bool]) throws {
        let caches = caches()
        caches[holder].store(try image(), for: key)
        caches[holder].store(entry, for: key)
        for (rule, isHit) in zip(ImageCache.ChainRule.allCases, hits) {
            let chain = chain(caches, rule)
            #expect((chain.image(for: key) != nil) == isHit)
            #expect((chain.entry(for: key) != nil) == isHit)
            #expect((chain.tiers(holding: key, among: .all) == [.memory, .disk]) == isHit)
        }
    }

    @Test(arguments: [ImageCache.ChainRule.serial, .concurrent]) func theHitOfTheHighestCacheIsReturned(
        _ rule: ImageCache.ChainRule
    ) {
        let caches = caches()
        for (index, cache) in caches.enumerated() {
            cache.store(CacheEntry(data: Data([UInt8(index)]), format: nil), for: key)
        }
        #expect(chain(caches, rule).entry(for: key)?.data == Data([2]))
    }

    @Test func anEmptyChainHoldsNothing() async throws {
        let chain = ImageCache.chain([])
        #expect(chain.tiers == [] && chain.image(for: key) == nil)
        #expect(try await chain.entry(for: key) == nil)
        chain.store(entry, for: key)
        try await chain.remove(key, from: .all)
        try await chain.clear(.all)
        try await chain.flush()
    }

    @Test func blockingCallsHaveAsyncOverloads() async throws {
        let cache = caches()[0]
        cache.store(entry, for: key)
        #expect(try await cache.entry(for: key)?.data == entry.data)
        #expect(try await cache.tiers(holding: key) == .disk)
        try await cache.remove(key)
        #expect(try await cache.tiers(holding: key) == [])
    }
}
