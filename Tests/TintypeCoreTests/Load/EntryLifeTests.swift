import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// An image in memory expires with the cache entry that it was made from.
@Suite(.timeLimited) struct EntryLifeTests {
    private let clock = ManualClock()
    private let pixels = FakePixelCache()
    private let fixture: PipelineFixture

    init() {
        let (clock, pixels) = (clock, pixels)
        fixture = PipelineFixture { configuration in
            configuration.time = clock.timeSource
            guard let cache = configuration.cache as? ImageCache else { return }
            let memory = MemoryCache(limits: CacheLimits(cost: 1 << 20), time: clock.timeSource)
            configuration.cache = ImageCache(memory: memory, disk: cache.disk, pixels: pixels)
        }
        fixture.answer()
    }

    @Test func everyReceiptHasADateOfItsOwn() {
        let services = PipelineServices(fixture.pipeline.configuration)
        let dates = (0..<100).map { _ in services.receiptDate() }
        #expect(Set(dates).count == 100 && dates == dates.sorted())
    }

    private var original: ImageRequest { fixture.request() }

    private var rendition: ImageRequest {
        original.with { $0.rendition.transforms = [CountingTransformer(identifier: "t")] }
    }

    private func keep(_ key: CacheKey, for seconds: Double = 60) {
        let entry = CacheEntry(
            data: PipelineFixture.png, format: .png, created: clock.date,
            expires: clock.date.addingTimeInterval(seconds))
        fixture.disk.store(entry, for: key)
    }

    private func isInMemory(_ request: ImageRequest) -> Bool { fixture.pipeline.cachedImage(for: request) != nil }

    /// Loads a request and checks that memory holds the image for this time.
    private func expectLifetime(of request: ImageRequest, seconds: Int) async throws {
        _ = try await fixture.pipeline.image(for: request)
        clock.advance(by: .seconds(seconds - 1))
        #expect(isInMemory(request))
        clock.advance(by: .seconds(1))
        #expect(!isInMemory(request))
    }

    @Test func anOriginalExpiresWithItsEntry() async throws {
        keep(original.key)
        try await expectLifetime(of: original, seconds: 60)
        #expect(fixture.loader.count(fixture.identity()) == 0)
    }

    @Test func aRenditionExpiresWithItsEntry() async throws {
        keep(rendition.key)
        try await expectLifetime(of: rendition, seconds: 60)
    }

    @Test func aRenditionExpiresWithTheOriginalItIsMadeFrom() async throws {
        keep(original.key)
        let request = rendition.with { $0.policy.delivery.completion = .whenStored }
        let expected = clock.date.addingTimeInterval(60)
        try await expectLifetime(of: request, seconds: 60)
        #expect(fixture.disk.stored(request.key)?.expires == expected)
    }

    @Test func aRenditionExpiresWithTheOriginalInMemory() async throws {
        keep(original.key)
        _ = try await fixture.pipeline.image(for: original)
        clock.advance(by: .seconds(40))
        try await expectLifetime(of: rendition, seconds: 20)
    }

    @Test func pixelsExpireWithTheirEntry() async throws {
        let request = rendition.with { $0.policy.caching.form = .pixels }
        let image = Image(
            pixels: try .filled(Pixel(red: 0, green: 0, blue: 0)),
            info: ImageInfo(format: .png, size: PixelSize(width: 1, height: 1)),
            expires: clock.date.addingTimeInterval(60))
        pixels.store(image, for: request.key)
        try await expectLifetime(of: request, seconds: 60)
    }

    @Test func theShorterOfEntryAndRequestApplies() async throws {
        keep(original.key)
        let request = original.with { $0.policy.caching.timeToLive = .seconds(10) }
        try await expectLifetime(of: request, seconds: 10)
        keep(original.key)
        try await expectLifetime(of: original.with { $0.policy.caching.timeToLive = .seconds(600) }, seconds: 60)
    }

    @Test func aRequestsTimeToLiveLimitsLaterRenditions() async throws {
        _ = try await fixture.pipeline.image(for: original.with { $0.policy.caching.timeToLive = .seconds(60) })
        clock.advance(by: .seconds(40))
        try await expectLifetime(of: rendition, seconds: 20)
    }

    @Test func aConfirmedEntryGetsTheNewTimeToLive() async throws {
        keep(original.key)
        fixture.answer("a", .notModified(metadata: Data("new".utf8)))
        let request = original.with {
            $0.policy.freshness = .revalidate
            $0.policy.caching.timeToLive = .seconds(600)
        }
        _ = try await fixture.pipeline.image(for: request)
        clock.advance(by: .seconds(599))
        #expect(isInMemory(original))
        clock.advance(by: .seconds(1))
        #expect(!isInMemory(original))
    }

    @Test func transformsAndCopiesKeepTheExpiry() throws {
        let expires = clock.date
        let image = Image(
            pixels: try .filled(Pixel(red: 0, green: 0, blue: 0)),
            info: ImageInfo(format: .png, size: PixelSize(width: 1, height: 1)), expires: expires)
        let copies = [
            image.atScale(2), image.markedPartial, image.replacing(pixels: image.pixels),
            try image.transformed(by: CountingTransformer(identifier: "t")),
        ]
        #expect(copies.allSatisfy { $0.expires == expires })
    }
}
