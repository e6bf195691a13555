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

    private func chain(
        _ caches: [ImageCache], _ policy: ImageCacheChain.Policy
    ) -> ImageCacheChain {
        ImageCacheChain(
            caches,
            policies: .init(query: policy, store: policy, remove: policy, contains: policy, clear: policy))
    }

    @Test func theDefaultPoliciesAreThoseOfSDWebImage() {
        let policies = ImageCacheChain.Policies()
        #expect(policies.query == .serial && policies.store == .highestOnly && policies.remove == .concurrent)
        #expect(policies.contains == .serial && policies.clear == .concurrent)
    }

    @Test(arguments: [
        (ImageCacheChain.Policy.serial, [true, true, true]), (.concurrent, [true, true, true]),
        (.highestOnly, [false, false, true]), (.lowestOnly, [true, false, false]),
    ])
    func storesAndRemovalsReachTheCachesOfTheirPolicy(_ policy: ImageCacheChain.Policy, _ reached: [Bool]) async throws
    {
        let caches = caches()
        let chain = chain(caches, policy)
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
    func readsReachTheCachesOfTheirPolicy(_ holder: Int, _ hits: [Bool]) throws {
        let caches = caches()
        caches[holder].store(try image(), for: key)
        caches[holder].store(entry, for: key)
        for (policy, isHit) in zip(ImageCacheChain.Policy.allCases, hits) {
            let chain = chain(caches, policy)
            #expect((chain.image(for: key) != nil) == isHit)
            #expect((chain.entry(for: key) != nil) == isHit)
            #expect((chain.tiers(holding: key, among: .all) == [.memory, .disk]) == isHit)
        }
    }

    @Test(arguments: [ImageCacheChain.Policy.serial, .concurrent]) func theHitOfTheHighestCacheIsReturned(
        _ policy: ImageCacheChain.Policy
    ) {
        let caches = caches()
        for (index, cache) in caches.enumerated() {
            cache.store(CacheEntry(data: Data([UInt8(index)]), format: nil), for: key)
        }
        #expect(chain(caches, policy).entry(for: key)?.data == Data([2]))
    }

    @Test func anEmptyChainHoldsNothing() async throws {
        let chain = ImageCacheChain([])
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
