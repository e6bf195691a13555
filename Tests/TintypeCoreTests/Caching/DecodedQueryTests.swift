import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// Queries of a cache for less than the whole original: a size, or a frame of an animation. SDWebImage has the same
/// rules.
@Suite(.timeLimited) struct DecodedQueryTests {
    private let memory = MemoryCache(limits: CacheLimits(cost: 1 << 20))
    private let disk = FakeDataCache()
    private let cache: ImageCache
    private let key = CacheKey(source: "https://example.org/a.png")
    private let full = PixelSize(width: 50, height: 50)
    private let small = PixelSize(width: 10, height: 10)

    init() {
        let info = ImageInfo(format: .png, size: PixelSize(width: 50, height: 50))
        cache = ImageCache(
            memory: memory, disk: disk, coders: ImageCoderRegistry(decoders: [GatedDecoder(info: info)]))
    }

    private func options(_ change: (inout DecodeOptions) -> Void) -> DecodeOptions {
        var options = DecodeOptions()
        change(&options)
        return options
    }

    private var thumbnail: DecodeOptions { options { $0.size = .fit(small) } }

    /// The key that a pipeline gives the image.
    private func rendition(_ options: DecodeOptions) -> CacheKey {
        CacheKey(source: key.source, rendition: Rendition(decode: options).identifier)
    }

    private func still() throws -> Image {
        Image(
            pixels: try .filled(Pixel(red: 1, green: 2, blue: 3), size: full),
            info: ImageInfo(format: .png, size: full))
    }

    private func animated() throws -> Image {
        try AnimatedImageTests.sprites(3).decode(Data(), context: DecodeContext())
    }

    /// Returns the hits of both forms of a query.
    private func hits(_ options: DecodeOptions, among tiers: CacheTiers = .all) async throws -> [CacheHit?] {
        [
            try await cache.query(key, among: tiers, decode: options),
            cache.blockingQuery(key, among: tiers, decode: options),
        ]
    }

    // MARK: Sizes

    @Test(arguments: [false, true])
    func aThumbnailOfAnOriginalOnDiskIsNotStoredAsTheOriginal(_ isBlocking: Bool) async throws {
        disk.store(CacheEntry(data: PipelineFixture.png, format: .png), for: key)
        let hit =
            isBlocking
            ? cache.blockingQuery(key, decode: thumbnail) : try await cache.query(key, decode: thumbnail)
        #expect(hit?.tier == .disk && hit?.image.size == small)
        #expect(memory.image(for: rendition(thumbnail)) === hit?.image && !memory.contains(key))
        // The disk has what it had.
        #expect(disk.keys == [key] && disk.stored(key)?.data == PipelineFixture.png)
        for again in try await hits(thumbnail) { #expect(again?.tier == .memory && again?.image === hit?.image) }
        #expect(try await cache.query(key)?.image.size == full)
    }

    @Test func aPipelineFindsTheThumbnailOfAQuery() async throws {
        let fixture = PipelineFixture(info: ImageInfo(format: .png, size: full))
        fixture.storeOnDisk()
        let request = fixture.request().decoded(.fit(small))
        let configuration = fixture.pipeline.configuration
        let hit = try await configuration.cache.query(
            request.key.original, decode: request.rendition.decode, with: configuration.coders)
        #expect(hit?.image.size == small && fixture.pipeline.cachedImage(for: request) === hit?.image)
        #expect(fixture.pipeline.cachedImage(for: fixture.request()) == nil)
    }

    @Test(arguments: [CacheTiers.memory, .all])
    func anOriginalInMemoryIsReducedAndStaysThere(_ tiers: CacheTiers) async throws {
        let original = try still()
        cache.store(original, for: key)
        for hit in try await hits(thumbnail, among: tiers) {
            #expect(hit?.tier == .memory && hit?.image.size == small)
            #expect(hit?.image.pixels[5, 5] == Pixel(red: 1, green: 2, blue: 3))
        }
        #expect(memory.image(for: key) === original && memory.totalCount == 1 && disk.reads == 0)
    }

    @Test func otherOptionsNeedTheBytes() async throws {
        cache.store(try still(), for: key)
        let strict = options { $0.damageTolerance = .none }
        for hit in try await hits(strict) { #expect(hit == nil) }
        disk.store(CacheEntry(data: PipelineFixture.png, format: .png), for: key)
        #expect(try await cache.query(key, decode: strict)?.tier == .disk)
        #expect(memory.contains(rendition(strict)))
    }

    @Test func aReducedImageComesWithItsBytesOnRequest() async throws {
        cache.store(try still(), for: key)
        disk.store(CacheEntry(data: PipelineFixture.png, format: .png), for: key)
        let hit = try await cache.query(key, data: true, decode: thumbnail)
        #expect(hit?.tier == .memory && hit?.image.size == small && hit?.data == PipelineFixture.png)
    }

    /// From the disk, and from an original in memory.
    @Test func anImageWithoutPixelsIsNotStored() async throws {
        let noPixels = options { $0.size = .noPixels }
        disk.store(CacheEntry(data: PipelineFixture.png, format: .png), for: key)
        for hit in try await hits(noPixels) {
            #expect(hit?.tier == .disk && hit?.image.size == PixelSize(width: 1, height: 1))
            #expect(hit?.image.info.size == full && hit?.data == PipelineFixture.png)
        }
        #expect(memory.totalCount == 0)
        cache.store(try still(), for: key)
        for hit in try await hits(noPixels) {
            #expect(hit?.tier == .memory && hit?.image.size == PixelSize(width: 1, height: 1))
        }
        #expect(memory.totalCount == 1)
    }

    // MARK: Frames

    @Test func theFirstFrameOfAnAnimationInMemoryIsAStillImage() async throws {
        let animation = try animated()
        cache.store(animation, for: key)
        #expect(try await cache.query(key)?.image === animation)
        for hit in try await hits(options { $0.frames = .first }) {
            let image = try #require(hit?.image)
            #expect(hit?.tier == .memory && !image.isAnimated && image !== animation)
            #expect(PixelDifference(between: image.pixels, and: animation.pixels)?.maximum == 0)
        }
        #expect(memory.image(for: key) === animation)
    }

    @Test func aQueryForAnAnimationDoesNotFindAStillImage() async throws {
        let image = try still()
        cache.store(image, for: key)
        let onlyAnimated = options { $0.frames = .animatedOnly }
        for hit in try await hits(onlyAnimated) { #expect(hit == nil) }
        for hit in try await hits(DecodeOptions()) { #expect(hit?.image === image) }
        let animation = try animated()
        cache.store(animation, for: key)
        for hit in try await hits(onlyAnimated) { #expect(hit?.image === animation) }
    }

    // MARK: Scale

    @Test func theScaleInTheNameIsThatOfTheImageInMemory() async throws {
        let key = CacheKey(source: "https://example.org/logo@2x.png")
        disk.store(CacheEntry(data: PipelineFixture.png, format: .png), for: key)
        let triple = options { $0.scale = 3 }
        #expect(try await cache.query(key, decode: triple)?.image.scale == 3)
        #expect(memory.image(for: key)?.scale == 2)
        #expect(cache.blockingQuery(key)?.image.scale == 2)
        #expect(cache.blockingQuery(key, decode: triple)?.image.scale == 3)
    }
}
