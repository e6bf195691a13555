import Testing
import TintypeTesting

@testable import TintypeCore

@Suite struct MemoryCacheTests {
    private func image(_ width: Int) throws -> Image {
        let size = PixelSize(width: width, height: 1)
        let pixels = try PixelBuffer.filled(Pixel(red: 1, green: 2, blue: 3), size)
        return Image(pixels: pixels, info: ImageInfo(format: .png, size: size))
    }

    @Test func costIsBytesARowTimesHeight() throws {
        let cache = MemoryCache(limits: CacheLimits(cost: 1 << 20))
        cache.store(try image(16), for: CacheKey(source: "a"))
        #expect(cache.totalCost == 64)
        #expect(cache.totalCount == 1)
    }

    @Test func renditionsAreApart() throws {
        let cache = MemoryCache(limits: CacheLimits(cost: 1 << 20))
        cache.store(try image(1), for: CacheKey(source: "a"))
        #expect(cache.image(for: CacheKey(source: "a", rendition: "fit(1x1)")) == nil)
        #expect(cache.image(for: CacheKey(source: "a")) != nil)
    }

    @Test func loweringTheLimitEvictsAtOnce() throws {
        let cache = MemoryCache(limits: CacheLimits(cost: 1 << 20))
        for number in 0..<10 { cache.store(try image(16), for: CacheKey(source: "\(number)")) }
        cache.limits = CacheLimits(cost: 128)
        #expect(cache.totalCost == 128)
    }

    @Test func removeTrimAndClear() throws {
        let cache = MemoryCache(limits: CacheLimits(cost: 1 << 20))
        for number in 0..<10 { cache.store(try image(16), for: CacheKey(source: "\(number)")) }
        cache.remove(CacheKey(source: "3"))
        #expect(!cache.contains(CacheKey(source: "3")) && cache.totalCount == 9)
        cache.trim(to: 200)
        #expect(cache.totalCost <= 200)
        cache.clear()
        #expect(cache.totalCount == 0 && cache.totalCost == 0)
    }

    @Test func theStandardLimitIsFinite() {
        #expect(CacheLimits.standard.cost > 1 << 20)
        #expect(CacheLimits.standard.cost <= SystemMemory.available * 15 / 100)
    }
}
