import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

@Suite(.timeLimited) struct MemoryCacheTests {
    private func image(_ width: Int) throws -> Image {
        let size = PixelSize(width: width, height: 1)
        let pixels = try PixelBuffer.filled(Pixel(red: 1, green: 2, blue: 3), size: size)
        return Image(pixels: pixels, info: ImageInfo(format: .png, size: size))
    }

    /// The cost of an image that is 16 pixels wide, under a key of one byte.
    private static let cost = 64 + 1 + MemoryEntry.overhead

    @Test func theCostOfAnImageIsTheBytesOfItsRowsItsKeyAndItsEntry() throws {
        let cache = MemoryCache(limits: CacheLimits(cost: 1 << 20))
        cache.store(try image(16), for: CacheKey(source: "a"))
        #expect(cache.totalCost == Self.cost)
        #expect(cache.totalCount == 1)
        cache.store(try image(16), for: CacheKey(source: "a", rendition: "fit(1x1)"))
        #expect(cache.totalCost == 2 * Self.cost + 8)
    }

    /// The pixels of a million such images would cost 64 MB, and their keys and entries 10 GB.
    @Test func tinyImagesWithLongKeysAreEvicted() throws {
        let cache = MemoryCache(limits: CacheLimits(cost: 100_000))
        let path = String(repeating: "x", count: 10_000)
        for number in 0..<100 { cache.store(try image(1), for: CacheKey(source: "\(path)\(number)")) }
        #expect(cache.totalCount == 9 && cache.totalCost <= 100_000)
        cache.limits = CacheLimits(cost: 100_000, entryCost: 10_000)
        #expect(cache.totalCount == 0)
    }

    @Test func theCostOfAStillImageIncludesTheDurationsOfItsSource() throws {
        var info = ImageInfo(format: .gif, size: PixelSize(width: 16, height: 1), frameCount: 1000)
        info.durations = Array(repeating: 0.1, count: 1000)
        #expect(Image(pixels: try image(16).pixels, info: info).memoryCost == 64 + 8000)
    }

    @Test func theCostOfAnAnimationIncludesItsPreloadedFrames() throws {
        let animated = try AnimatedImageTests.sprites(5).decode(Data(), context: DecodeContext())
        let animation = try #require(animated.animation)
        let cache = MemoryCache(limits: CacheLimits(cost: 1 << 20))
        cache.store(animated, for: CacheKey(source: "a"))
        let still = cache.totalCost
        let durations = 8 * animated.info.durations.count
        let entry = 1 + MemoryEntry.overhead
        #expect(still == animated.pixels.byteCount + animation.memoryCost + durations + entry)
        try animation.preloadFrames()
        cache.store(animated, for: CacheKey(source: "a"))
        #expect(cache.totalCost == still + 4 * animated.pixels.byteCount)
        animation.unloadFrames()
    }

    @Test func renditionsOfOneSourceAreSeparateEntries() throws {
        let cache = MemoryCache(limits: CacheLimits(cost: 1 << 20))
        cache.store(try image(1), for: CacheKey(source: "a"))
        #expect(cache.image(for: CacheKey(source: "a", rendition: "fit(1x1)")) == nil)
        #expect(cache.image(for: CacheKey(source: "a")) != nil)
    }

    @Test func loweringTheLimitEvictsAtOnce() throws {
        let cache = MemoryCache(limits: CacheLimits(cost: 1 << 20))
        for number in 0..<10 { cache.store(try image(16), for: CacheKey(source: "\(number)")) }
        cache.limits = CacheLimits(cost: 2 * Self.cost)
        #expect(cache.totalCost == 2 * Self.cost)
    }

    @Test func loweringTheEntryLimitEvictsLargerImages() throws {
        let cache = MemoryCache(limits: CacheLimits(cost: 1 << 20))
        for number in 0..<10 {
            cache.store(try image(number.isMultiple(of: 2) ? 16 : 32), for: CacheKey(source: "\(number)"))
        }
        cache.limits = CacheLimits(cost: 1 << 20, entryCost: Self.cost)
        #expect(cache.totalCount == 5 && cache.totalCost == 5 * Self.cost)
        #expect(cache.contains(CacheKey(source: "2")) && !cache.contains(CacheKey(source: "3")))
        cache.limits = CacheLimits(cost: 1 << 20, entryCost: 0)
        #expect(cache.totalCount == 0)
        cache.store(try image(1), for: CacheKey(source: "a"))
        #expect(cache.totalCount == 0)
    }

    @Test func removeTrimAndClearReleaseImages() throws {
        let cache = MemoryCache(limits: CacheLimits(cost: 1 << 20))
        for number in 0..<10 { cache.store(try image(16), for: CacheKey(source: "\(number)")) }
        cache.remove(CacheKey(source: "3"))
        #expect(!cache.contains(CacheKey(source: "3")) && cache.totalCount == 9)
        cache.trim(to: 3 * Self.cost)
        #expect(cache.totalCost == 3 * Self.cost)
        cache.clear()
        #expect(cache.totalCount == 0 && cache.totalCost == 0)
    }

    // MARK: Expiry

    @Test func anExpiredImageIsAMissAndIsRemoved() throws {
        let clock = ManualClock()
        let cache = MemoryCache(limits: CacheLimits(cost: 1 << 20, age: .seconds(60)), time: clock.timeSource)
        cache.store(try image(1), for: CacheKey(source: "a"))
        clock.advance(by: .seconds(59))
        cache.store(try image(1), for: CacheKey(source: "b"))
        #expect(cache.image(for: CacheKey(source: "a")) != nil)
        clock.advance(by: .seconds(1))
        #expect(!cache.contains(CacheKey(source: "a")))
        #expect(cache.image(for: CacheKey(source: "a")) == nil)
        #expect(cache.totalCount == 1 && cache.contains(CacheKey(source: "b")))
    }

    @Test func expiredImagesAreRemovedByTheNextStore() throws {
        let clock = ManualClock()
        let cache = MemoryCache(limits: CacheLimits(cost: 1 << 20, age: .seconds(60)), time: clock.timeSource)
        for number in 0..<10 { cache.store(try image(1), for: CacheKey(source: "\(number)")) }
        clock.advance(by: .seconds(61))
        cache.store(try image(1), for: CacheKey(source: "new"))
        #expect(cache.totalCount == 1)
    }

    @Test func aUsedImageIsEvictedLater() throws {
        let cache = MemoryCache(limits: CacheLimits(cost: 1 << 20, count: 2))
        let keys = ["a", "b", "c"].map { CacheKey(source: $0) }
        for key in keys[..<2] { cache.store(try image(1), for: key) }
        _ = cache.image(for: keys[0])
        cache.store(try image(1), for: keys[2])
        #expect(keys.map { cache.contains($0) } == [true, false, true])
    }

    @Test func theMarkOfAUseIsTakenOnce() throws {
        let entry = MemoryEntry(try image(1), for: CacheKey(source: "a"), cost: 4, expires: nil)
        let before = entry.takeUsedMark()
        entry.markUsed()
        let (first, second) = (entry.takeUsedMark(), entry.takeUsedMark())
        #expect(!before && first && !second)
    }

    private struct Weak {
        weak var image: Image?
    }

    /// The tables count references to their entries themselves.
    @Test func anImageIsFreedWithItsEntry() throws {
        let (key, other) = (CacheKey(source: "a"), CacheKey(source: "b"))
        func store(_ key: CacheKey, in cache: MemoryCache?) throws -> Weak {
            let image = try image(16)
            cache?.store(image, for: key)
            return Weak(image: image)
        }
        var cache: MemoryCache? = MemoryCache(limits: CacheLimits(cost: 1 << 20))
        let (replaced, removed, last) = (
            try store(key, in: cache), try store(other, in: cache), try store(key, in: cache)
        )
        cache?.remove(other)
        #expect(replaced.image == nil && removed.image == nil && last.image != nil)
        cache = nil
        #expect(last.image == nil)
    }

    @Test func allImagesAreFreedWithTheCache() throws {
        var cache: MemoryCache? = MemoryCache(limits: CacheLimits(cost: 1 << 20))
        let images = try (0..<500).map { number in
            let image = try image(1)
            cache?.store(image, for: CacheKey(source: "\(number)"))
            return Weak(image: image)
        }
        #expect(images.allSatisfy { $0.image != nil })
        cache = nil
        #expect(images.allSatisfy { $0.image == nil })
    }

    // MARK: Living images

    @Test func aReferenceIsTakenOnce() throws {
        var living = LivingImages()
        let (image, key) = (try image(1), CacheKey(source: "a"))
        let entry = MemoryEntry(image, for: key, cost: 4, expires: nil)
        _ = living.add([entry])
        let (first, second) = (living.take(key), living.take(key))
        #expect(first?.image === image && second == nil)
        _ = living.add([entry])
        living.removeAll()
        let third = living.take(key)
        #expect(third == nil)
    }

    @Test func anEvictedImageIsFoundWhileItLives() throws {
        let cache = MemoryCache(limits: CacheLimits(cost: 1 << 20), findsLivingImages: true)
        let image = try image(16)
        cache.store(image, for: CacheKey(source: "a"))
        cache.store(try self.image(16), for: CacheKey(source: "b"))
        cache.trim(to: 0)
        #expect(cache.totalCount == 0)
        #expect(cache.image(for: CacheKey(source: "a")) === image)
        #expect(cache.image(for: CacheKey(source: "b")) == nil)
        // It is stored again.
        #expect(cache.totalCost == Self.cost)
    }

    @Test func aRemovedImageIsNotFoundEvenIfItLives() throws {
        let cache = MemoryCache(limits: CacheLimits(cost: 1 << 20), findsLivingImages: true)
        let image = try image(16)
        let key = CacheKey(source: "a")
        cache.store(image, for: key)
        cache.remove(key)
        #expect(cache.image(for: key) == nil)
        cache.store(image, for: key)
        cache.clear()
        #expect(cache.image(for: key) == nil)
        cache.store(image, for: key)
        cache.trim(to: 0)
        let newer = try self.image(1)
        cache.store(newer, for: key)
        cache.remove(key)
        #expect(cache.image(for: key) == nil)
        #expect(image.size.width == 16)
    }

    /// A sweep returns the living images. If references to freed images stayed, each sweep would come twice as late as
    /// the one before, or come with every addition.
    @Test func referencesToFreedImagesAreSweptAtAConstantRate() throws {
        var living = LivingImages()
        let image = try image(1)
        func entry(_ image: Image, _ number: Int) -> MemoryEntry {
            MemoryEntry(image, for: CacheKey(source: "\(number)"), cost: 64, expires: nil)
        }
        _ = living.add([entry(image, -1)])
        var sweeps = 0
        for number in 0..<10_000 {
            let swept = living.add([entry(try self.image(1), number)])
            if !swept.isEmpty { sweeps += 1 }
            #expect(swept.allSatisfy { $0 === image })
        }
        #expect((140...170).contains(sweeps))
        #expect(living.take(CacheKey(source: "-1"))?.image === image)
    }

    @Test func aLivingImageKeepsItsExpiry() throws {
        let clock = ManualClock()
        let cache = MemoryCache(
            limits: CacheLimits(cost: 1 << 20), findsLivingImages: true, time: clock.timeSource)
        let (image, key) = (try image(16), CacheKey(source: "a"))
        cache.store(image, for: key, timeToLive: .seconds(60))
        cache.trim(to: 0)
        clock.advance(by: .seconds(30))
        #expect(cache.image(for: key) === image)
        cache.trim(to: 0)
        clock.advance(by: .seconds(30))
        #expect(cache.image(for: key) == nil)
        cache.store(image, for: key, timeToLive: .seconds(60))
        cache.trim(to: 0)
        #expect(cache.image(for: key) === image)
        clock.advance(by: .seconds(60))
        #expect(cache.image(for: key) == nil && cache.totalCount == 0)
    }

    @Test func anImageTooLargeToStoreIsFoundWhileItLives() throws {
        let cache = MemoryCache(limits: CacheLimits(cost: 100), findsLivingImages: true)
        let key = CacheKey(source: "a")
        var large: Image? = try image(32)
        for _ in 0..<3 {
            if let large { cache.store(large, for: key) }
            #expect(cache.image(for: key) === large && cache.totalCount == 0)
            #expect(cache.image(for: key) === large)
        }
        large = nil
        #expect(cache.image(for: key) == nil)
    }

    // MARK: Pressure

    @Test func somePressureHalvesTheCacheAndCriticalPressureEmptiesIt() throws {
        let cache = MemoryCache(limits: CacheLimits(cost: 1 << 20))
        for number in 0..<10 { cache.store(try image(16), for: CacheKey(source: "\(number)")) }
        cache.shrink(for: .some)
        #expect(cache.totalCost == 5 * Self.cost)
        cache.shrink(for: .critical)
        #expect(cache.totalCost == 0)
    }

    // MARK: Threads

    @Test func theTotalsAreRightAfterConcurrentUse() async throws {
        let cache = MemoryCache(limits: CacheLimits(cost: Self.cost * 50))
        let image = try image(16)
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    var random = SeededRandom(seed: UInt64(worker))
                    for _ in 0..<2_000 {
                        let key = CacheKey(source: "\(Int.random(in: 10..<100, using: &random))")
                        switch Int.random(in: 0..<8, using: &random) {
                        case 0..<3: cache.store(image, for: key)
                        case 3: cache.remove(key)
                        case 4: cache.trim(to: Self.cost * 25)
                        default: if let found = cache.image(for: key) { #expect(found === image) }
                        }
                    }
                }
            }
        }
        let present = (10..<100).count { cache.contains(CacheKey(source: "\($0)")) }
        #expect(present == cache.totalCount && cache.totalCost == (Self.cost + 1) * present)
        cache.clear()
        #expect((0..<100).allSatisfy { cache.image(for: CacheKey(source: "\($0)")) == nil })
    }

    @Test(arguments: [(0, 0), (1 << 30, 161_061_270), (24 << 30, 512 << 20), (Int.max, 512 << 20)])
    func theStandardLimitIsCapped(_ memory: Int, _ cost: Int) {
        #expect(CacheLimits.standard(memory: memory) == CacheLimits(cost: cost, entryCost: cost / 4))
    }

    @Test func theStandardLimitsAreAFractionOfTheMemory() {
        #expect(CacheLimits.standard.cost > 1 << 20)
        #expect(CacheLimits.standard.cost <= SystemMemory.available * 15 / 100)
        // No single image evicts all others.
        #expect(CacheLimits.standard.entryCost == CacheLimits.standard.cost / 4)
    }
}
