import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

@Suite(.timeLimited) struct TimeToLiveTests {
    private let clock = ManualClock()

    private func fixture(_ change: (inout PipelineConfiguration) -> Void = { _ in }) -> PipelineFixture {
        let fixture = PipelineFixture { configuration in
            configuration.time = clock.timeSource
            guard let cache = configuration.cache as? ImageCache else { return }
            let memory = MemoryCache(limits: CacheLimits(cost: 1 << 20), time: clock.timeSource)
            configuration.cache = ImageCache(memory: memory, disk: cache.disk)
            change(&configuration)
        }
        fixture.answer()
        return fixture
    }

    private func request(_ fixture: PipelineFixture, _ timeToLive: Duration?) -> ImageRequest {
        var request = fixture.request()
        request.rendition.transforms = [CountingTransformer(identifier: "t")]
        request.policy.caching.timeToLive = timeToLive
        request.policy.delivery.completion = .whenStored
        return request
    }

    @Test func anEntryExpiresAfterTheRequestsTimeToLive() async throws {
        let fixture = fixture()
        let request = request(fixture, .seconds(60))
        _ = try await fixture.pipeline.image(for: request)
        let expected = clock.date.addingTimeInterval(60)
        #expect(fixture.disk.stored(request.key)?.expires == expected)
        #expect(fixture.disk.stored(request.key.original)?.expires == expected)
        clock.advance(by: .seconds(59))
        #expect(fixture.pipeline.cachedImage(for: request) != nil)
        clock.advance(by: .seconds(1))
        #expect(fixture.pipeline.cachedImage(for: request) == nil)
    }

    /// Kingfisher's `memoryCacheExpiration` and `diskCacheExpiration`.
    @Test func memoryAndDiskHaveLifetimesOfTheirOwn() async throws {
        let fixture = fixture()
        var request = request(fixture, .seconds(60))
        request.policy.caching.memoryTimeToLive = .seconds(10)
        _ = try await fixture.pipeline.image(for: request)
        #expect(fixture.disk.stored(request.key)?.expires == clock.date.addingTimeInterval(60))
        clock.advance(by: .seconds(9))
        #expect(fixture.pipeline.cachedImage(for: request) != nil)
        clock.advance(by: .seconds(1))
        #expect(fixture.pipeline.cachedImage(for: request) == nil)
        // From disk, without the origin, and in memory for another while.
        request.policy.freshness = .cacheOnly
        _ = try await fixture.pipeline.image(for: request)
        #expect(fixture.pipeline.cachedImage(for: request) != nil)
        clock.advance(by: .seconds(10))
        #expect(fixture.pipeline.cachedImage(for: request) == nil)
    }

    @Test func theMemoryLivesNoLongerThanTheImage() async throws {
        let fixture = fixture()
        var request = request(fixture, .seconds(10))
        request.policy.caching.memoryTimeToLive = .seconds(60)
        _ = try await fixture.pipeline.image(for: request)
        clock.advance(by: .seconds(10))
        #expect(fixture.pipeline.cachedImage(for: request) == nil)
    }

    @Test func withoutATimeToLiveTheLimitsOfTheCachesApply() async throws {
        let fixture = fixture()
        let request = request(fixture, nil)
        _ = try await fixture.pipeline.image(for: request)
        clock.advance(by: .seconds(100 * 24 * 3600))
        #expect(fixture.pipeline.cachedImage(for: request) != nil)
        #expect(fixture.disk.stored(request.key)?.expires == nil)
    }

    @Test func theShorterOfTimeToLiveAndAgeApplies() throws {
        let cache = MemoryCache(limits: CacheLimits(cost: 1 << 20, age: .seconds(10)), time: clock.timeSource)
        let image = Image(
            pixels: try .filled(Pixel(red: 0, green: 0, blue: 0)),
            info: ImageInfo(format: .png, size: PixelSize(width: 1, height: 1)))
        cache.store(image, for: CacheKey(source: "long"), timeToLive: .seconds(100))
        cache.store(image, for: CacheKey(source: "short"), timeToLive: .seconds(1))
        clock.advance(by: .seconds(1))
        #expect(cache.image(for: CacheKey(source: "short")) == nil)
        #expect(cache.totalCount == 1, "an expired image is removed before an older one")
        clock.advance(by: .seconds(9))
        #expect(cache.image(for: CacheKey(source: "long")) == nil)
    }
}
