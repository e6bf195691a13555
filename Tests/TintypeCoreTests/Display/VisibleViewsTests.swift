import Foundation
import Testing
import TintypeTesting

@testable import TintypeCore
@testable import TintypeViews

/// A smaller share of memory while the program shows no image.
@Suite @MainActor struct VisibleViewsTests {
    private let timer = ManualPlaybackTimer()

    private func image() throws -> Image {
        let size = PixelSize(width: 16, height: 1)
        return Image(
            pixels: try .filled(Pixel(red: 1, green: 2, blue: 3), size: size), info: ImageInfo(format: .png, size: size)
        )
    }

    /// The cost of an image under a key of one byte.
    private static let cost = 64 + 1 + MemoryEntry.overhead

    private func cache(share: Double) throws -> MemoryCache {
        var limits = CacheLimits(cost: 8 * Self.cost)
        limits.hiddenShare = share
        let cache = MemoryCache(limits: limits)
        for name in "abcdefgh" { cache.store(try image(), for: CacheKey(source: String(name))) }
        return cache
    }

    @Test func aHiddenProgramKeepsItsShare() throws {
        let cache = try cache(share: 0.25)
        #expect(cache.totalCount == 8)
        cache.isHidden = true
        #expect(cache.totalCount == 2 && cache.limits.cost == 8 * Self.cost)
        // What prefetching stores meanwhile also keeps to it.
        for name in "ijk" { cache.store(try image(), for: CacheKey(source: String(name))) }
        #expect(cache.totalCount == 2)
        cache.isHidden = false
        for name in "lmnopq" { cache.store(try image(), for: CacheKey(source: String(name))) }
        #expect(cache.totalCount == 8)
    }

    @Test(arguments: [(1.0, 8), (2, 8), (0, 0), (-1, 0), (.nan, 0)] as [(Double, Int)])
    func anyShareIsOneFromNothingToAll(_ share: Double, _ count: Int) throws {
        let cache = try cache(share: share)
        cache.isHidden = true
        #expect(cache.totalCount == count)
        // New limits apply at once, and the share of them.
        var limits = CacheLimits(cost: 4 * Self.cost)
        limits.hiddenShare = 0.5
        cache.limits = limits
        #expect(cache.totalCount == min(count, 2))
    }

    @Test func aPipelineTellsItsMemoryWhenNoViewIsVisible() throws {
        let memory = try cache(share: 0.5)
        var configuration = PipelineConfiguration()
        configuration.cache = ImageCache.chain([ImageCache(memory: memory)])
        let pipeline = ImagePipeline(configuration)
        let views = VisibleViews(of: pipeline, timer: timer)
        views.viewAppeared()
        views.viewAppeared()
        views.viewDisappeared()
        #expect(timer.ringTime == nil)
        views.viewDisappeared()
        timer.advance(by: views.delay - .milliseconds(1))
        #expect(memory.totalCount == 8)
        timer.advance(by: .milliseconds(1))
        #expect(memory.isHidden && memory.totalCount == 4)
        views.viewAppeared()
        #expect(!memory.isHidden)
    }

    /// A list that is built anew shows no view for a moment.
    @Test func aMomentWithoutViewsChangesNothing() {
        var changes: [Bool] = []
        let views = VisibleViews(timer: timer) { changes.append($0) }
        for _ in 0..<3 {
            views.viewAppeared()
            views.viewDisappeared()
            timer.advance(by: .seconds(4))
        }
        #expect(changes.isEmpty)
        timer.advance(by: .seconds(1))
        #expect(changes == [true])
    }
}
