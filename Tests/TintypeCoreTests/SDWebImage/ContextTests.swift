import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// SDWebImage's context options that concern the pipeline, under their names in SDWebImage.
@Suite("SDWebImageContext", .timeLimited) struct ContextTests {
    @Test func callbackQueueIsTheMainActor() async throws {
        let fixture = PipelineFixture()
        fixture.answer()
        #expect(await countEvents(fixture.pipeline, fixture.request()) > 0)
    }

    /// Returns the number of events of a load. Stops the test process if one is not delivered on the main actor, which
    /// is not always the main thread on Linux.
    @MainActor private func countEvents(_ pipeline: ImagePipeline, _ request: ImageRequest) async -> Int {
        let count = Shared(0)
        await withCheckedContinuation { continuation in
            pipeline.load(request) { event in
                MainActor.assertIsolated()
                count.withLock { $0 += 1 }
                if case .finished = event { continuation.resume() }
            }
        }
        return count.now
    }

    @Test func imageCacheReplacesThePipelinesForOneRequest() async throws {
        let fixture = PipelineFixture()
        fixture.answer()
        let other = ImageCache(memory: MemoryCache(limits: CacheLimits(cost: 1 << 20)), disk: FakeDataCache())
        let request = fixture.request().overrides(RequestOverrides(cache: other))
        _ = try await fixture.pipeline.image(for: request)
        #expect(other.image(for: request.key) != nil)
        #expect(try await other.entry(for: request.key) != nil)
        #expect(!fixture.memory.contains(request.key) && fixture.disk.keys.isEmpty)
        #expect(fixture.pipeline.cachedImage(for: request) != nil)
        #expect(fixture.pipeline.cachedImage(for: fixture.request()) == nil)
    }

    @Test func originalImageCacheStoresOriginalsSeparately() async throws {
        let fixture = PipelineFixture(info: ImageInfo(format: .png, size: PixelSize(width: 9, height: 9)))
        fixture.answer()
        let originals = ImageCache(memory: nil, disk: FakeDataCache())
        let request = fixture.request().fitting(width: 1).overrides(RequestOverrides(originalCache: originals))
        _ = try await fixture.pipeline.image(for: request)
        try await fixture.pipeline.flush()
        #expect(fixture.disk.keys == [request.key])
        #expect(try await originals.entry(for: request.key.original)?.data == PipelineFixture.png)
    }

    @Test func imageLoaderReplacesThePipelinesForOneRequest() async throws {
        let fixture = PipelineFixture()
        let other = FakeLoader()
        other.setAnswer(.data(PipelineFixture.png), for: fixture.identity())
        _ = try await fixture.pipeline.image(for: fixture.request().overrides(RequestOverrides(loader: other)))
        #expect(other.count(fixture.identity()) == 1 && fixture.loader.count(fixture.identity()) == 0)
    }

    @Test func requestsWithDifferentOverridesShareNoWork() async throws {
        let fixture = PipelineFixture()
        let gate = Gate()
        let other = FakeLoader()
        other.setAnswer(.gated(gate, .data(PipelineFixture.png)), for: fixture.identity())
        fixture.answer("a", .gated(gate, .data(PipelineFixture.png)))
        let overrides = RequestOverrides(loader: other)
        let tasks = [
            fixture.request(), fixture.request(), fixture.request().overrides(overrides),
            fixture.request().overrides(overrides),
        ].map { fixture.pipeline.start($0) }
        await gate.waitForArrivals(2)
        gate.open()
        for task in tasks { _ = try await task.response }
        #expect(other.count(fixture.identity()) == 1 && fixture.loader.count(fixture.identity()) == 1)
    }

    @Test func imageCoderIsUsedRegardlessOfTheFormat() async throws {
        let fixture = PipelineFixture()
        fixture.answer("a", .data(Data("no known image format".utf8)))
        let decoder = GatedDecoder()
        let request = fixture.request().with {
            $0.rendition.decode.decoder = NamedDecoder(id: "mine", decoder: decoder)
        }
        _ = try await fixture.pipeline.image(for: request)
        #expect(decoder.decodeCount == 1 && fixture.decoder.decodeCount == 0)
        #expect(request.key != fixture.request().key)
    }

    @Test func imageTransformerIsTheRequestsOwnOrAnInterceptors() async throws {
        struct Global: RequestInterceptor {
            let transformer: CountingTransformer
            func intercept(_ request: ImageRequest) -> ImageRequest {
                request.rendition.transforms.isEmpty ? request.transformed(by: transformer) : request
            }
        }
        let global = CountingTransformer(identifier: "global")
        let own = CountingTransformer(identifier: "own")
        let fixture = PipelineFixture { $0.interceptors = [Global(transformer: global)] }
        fixture.answer()
        _ = try await fixture.pipeline.image(for: fixture.request())
        _ = try await fixture.pipeline.image(for: fixture.request().transformed(by: own))
        #expect(global.count.now == 1 && own.count.now == 1)
    }

    @Test(arguments: [
        ("https://example.org/logo@2x.png", 2.0), ("https://example.org/logo%402x.png", 2),
        ("https://example.org/logo@3x.png", 3), ("https://example.org/logo.png", 1), ("https://example.org/@2x", 1),
    ]) func imageScaleFactorComesFromTheKey(_ url: String, _ scale: Double) throws {
        #expect(ImageSource.url(try #require(URL(string: url))).scaleInName == scale)
    }

    @Test func imageScaleFactorNeedsANameOfEightCharacters() {
        #expect(ImageSource.bytes(Data(), id: "").scaleInName == 1)
        #expect(ImageSource.closure(id: "a@2x.png") { Data() }.scaleInName == 2)
    }

    @Test func imageScaleFactorOfTheRequestWins() async throws {
        let fixture = PipelineFixture()
        fixture.answer("logo@2x.png")
        let request = fixture.request("logo@2x.png")
        #expect(try await fixture.pipeline.image(for: request).scale == 2)
        let own = request.with { $0.rendition.decode.scale = 3 }
        #expect(try await fixture.pipeline.image(for: own).scale == 3)
        #expect(try await fixture.pipeline.image(for: request).scale == 2)
        #expect(fixture.pipeline.cachedImage(for: own)?.scale == 3 && fixture.decoder.decodeCount == 1)
    }

    @Test func imageScaleFactorAppliesToAnimations() async throws {
        let drawn = try AnimatedImageTests.sprites(3)
        let fixture = PipelineFixture { $0.coders = ImageCoderRegistry(decoders: [drawn]) }
        fixture.answer("logo@2x.gif")
        let image = try await fixture.pipeline.image(for: fixture.request("logo@2x.gif"))
        #expect(image.isAnimated && image.scale == 2)
    }

    /// An image with the original's pixels is not encoded again, which would lose quality.
    @Test(arguments: [
        DecodeOptions(scale: 2), DecodeOptions(size: .fit(PixelSize(width: 500, height: 500))),
        DecodeOptions(size: .atMost(bytes: 1 << 20)), DecodeOptions(frames: .first), DecodeOptions(range: .high),
    ])
    func onlyTheOriginalOfAnUnchangedImageIsStored(_ decode: DecodeOptions) async throws {
        let fixture = PipelineFixture(info: ImageInfo(format: .png, size: PixelSize(width: 100, height: 50)))
        fixture.answer()
        let request = fixture.request().with { $0.rendition.decode = decode }
        _ = try await fixture.pipeline.image(for: request)
        try await fixture.pipeline.flush()
        #expect(fixture.disk.keys == [fixture.request().key])
    }

    @Test func imageThumbnailPixelSizeAndPreserveAspectRatio() async throws {
        let fixture = PipelineFixture(info: ImageInfo(format: .png, size: PixelSize(width: 100, height: 50)))
        fixture.answer()
        let box = PixelSize(width: 10, height: 10)
        let fitted = try await fixture.pipeline.image(for: fixture.request().decoded(.fit(box)))
        let stretched = try await fixture.pipeline.image(for: fixture.request().decoded(.shrink(box)))
        #expect(fitted.size == PixelSize(width: 10, height: 5) && stretched.size == box)
        #expect(fixture.loader.count(fixture.identity()) == 1)
    }

    @Test func imageDecodeToHDRIsInTheKey() {
        let fixture = PipelineFixture()
        #expect(fixture.request().with { $0.rendition.decode.range = .high }.key != fixture.request().key)
    }

    @Test func imageEncodeOptionsAndCacheSerializerDefineTheStoredFormat() async throws {
        let fixture = PipelineFixture(info: ImageInfo(format: .png, size: PixelSize(width: 9, height: 9)))
        fixture.answer()
        let request = fixture.request().fitting(width: 1).with {
            $0.policy.caching.form = .encoded(.png, EncodeOptions(quality: 0.5))
            $0.policy.delivery.completion = .whenStored
        }
        _ = try await fixture.pipeline.image(for: request)
        #expect(fixture.disk.stored(request.key)?.format == .png)
        let automatic = fixture.request().fitting(height: 1).with { $0.policy.delivery.completion = .whenStored }
        _ = try await fixture.pipeline.image(for: automatic)
        #expect(fixture.disk.stored(automatic.key)?.format == .jpeg)
    }

    /// Encodes every image as its own bytes.
    private struct OwnEncoder: ImageEncoder {
        static let bytes = Data("own".utf8)
        let formats: Set<ImageFormat> = [.jpeg, .webp]

        func encode(_ pixels: PixelBuffer, as format: ImageFormat, options: EncodeOptions) -> Data { Self.bytes }
    }

    @Test(arguments: [LoadPolicy.StoredForm.automatic, .encoded(.webp), .encoded(.png)])
    func theEncoderOfARequestEncodesTheFormatsThatItSupports(_ form: LoadPolicy.StoredForm) async throws {
        let fixture = PipelineFixture(info: ImageInfo(format: .png, size: PixelSize(width: 9, height: 9)))
        fixture.answer()
        let request = fixture.request().fitting(width: 1).with {
            $0.policy.caching.form = form
            $0.overrides = RequestOverrides(encoder: OwnEncoder())
        }
        _ = try await fixture.pipeline.image(for: request)
        try await fixture.pipeline.flush()
        let isOwn = fixture.disk.stored(request.key)?.data == OwnEncoder.bytes
        #expect(isOwn == (form != .encoded(.png)) && fixture.disk.stored(request.key) != nil)
    }

    @Test(arguments: [LoadPolicy.Preparation.automatic, .always])
    func imageForceDecodePolicyPreparesOnlyIfRequested(_ preparation: LoadPolicy.Preparation) async throws {
        let deliveries = Deliveries()
        let fixture = PipelineFixture { $0.observers = [deliveries] }
        fixture.answer()
        let request = fixture.request().with { $0.policy.preparation = preparation }
        _ = try await fixture.pipeline.image(for: request)
        #expect(request.key == fixture.request().key)
        #expect(deliveries.count.now == (preparation == .always ? 1 : 0))
    }

    /// Counts the images prepared for display.
    private final class Deliveries: PipelineObserver {
        let count = Shared(0)

        func observe(_ event: PipelineEvent) {
            if case .stageEnded(let run, _) = event, run.stage == .deliver { count.withLock { $0 += 1 } }
        }
    }

    @Test(arguments: [CacheAccess.readWrite, .readOnly, .writeOnly, .off])
    func queryAndStoreCacheTypeOfTheRendition(_ access: CacheAccess) async throws {
        let fixture = PipelineFixture()
        fixture.answer()
        let request = fixture.request().fitting(width: 1)
            .cached(rendition: CacheRules(memory: access, disk: access), original: CacheRules(memory: .off, disk: .off))
        _ = try await fixture.pipeline.image(for: request)
        try await fixture.pipeline.flush()
        #expect(fixture.memory.contains(request.key) == access.canWrite)
        #expect(fixture.disk.keys == (access.canWrite ? [request.key] : []))
        #expect((fixture.disk.reads > 0) == access.canRead)
    }

    @Test(arguments: [CacheAccess.readWrite, .readOnly, .writeOnly, .off])
    func originalQueryAndStoreCacheType(_ access: CacheAccess) async throws {
        let fixture = PipelineFixture()
        fixture.answer()
        let request = fixture.request().transformed(by: CountingTransformer(identifier: "t"))
            .cached(rendition: CacheRules(memory: .off, disk: .off), original: CacheRules(memory: access, disk: access))
        _ = try await fixture.pipeline.image(for: request)
        #expect(fixture.memory.contains(request.key.original) == access.canWrite)
        #expect(fixture.disk.keys == (access.canWrite ? [request.key.original] : []))
        _ = try await fixture.pipeline.image(for: request)
        // The second load finds the original if it may read and write it.
        #expect(fixture.loader.count(fixture.identity()) == (access == .readWrite ? 1 : 2))
        #expect(fixture.decoder.decodeCount == (access == .readWrite ? 1 : 2))
    }

    @Test func requestsWithDifferentExtrasShareNoWork() async throws {
        enum Token: RequestExtraKey { static let defaultValue = "" }
        let fixture = PipelineFixture()
        let gate = Gate()
        fixture.answer("a", .gated(gate, .data(PipelineFixture.png)))
        let special = fixture.request().with { $0.extras[Token.self] = "x" }
        #expect(special.key == fixture.request().key)
        #expect(special.with { $0.extras[Token.self] = "" }.extras == RequestExtras())
        let tasks = [fixture.request(), special].map { fixture.pipeline.start($0) }
        await gate.waitForArrivals(2)
        gate.open()
        for task in tasks { _ = try await task.response }
        #expect(fixture.loader.count(fixture.identity()) == 2)
    }
}
