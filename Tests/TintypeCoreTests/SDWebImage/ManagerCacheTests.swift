import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// A counterpart of SDWebImage's tests of its manager and its downloader that concern caches, renditions and shared
/// loads. The name of the original is above each test.
@Suite("Manager and caches", .timeLimited) struct ManagerCacheTests {
    private let full = PixelSize(width: 50, height: 50)
    private let transformer = CountingTransformer(identifier: "t")
    private let memoryAlone = CacheRules(memory: .readWrite, disk: .off)
    private let diskAlone = CacheRules(memory: .off, disk: .readWrite)

    private func fixture() -> PipelineFixture { PipelineFixture(info: ImageInfo(format: .png, size: full)) }

    // MARK: Tiers

    // test12ThatStoreCacheTypeWork
    @Test func anAnimationMayBeOnDiskAloneAndItsTransformedFormInMemoryAlone() async throws {
        let drawn = try AnimatedImageTests.sprites(3)
        let fixture = PipelineFixture {
            $0.coders = ImageCoderRegistry(decoders: [drawn], encoders: [FakeEncoder()])
        }
        fixture.answer()
        let request = fixture.request().transformed(by: transformer, scope: [.animated])
            .cached(rendition: memoryAlone, original: diskAlone)
        let image = try await fixture.pipeline.image(for: request)
        try await fixture.pipeline.flush()
        #expect(image.isAnimated && transformer.count.now == 1)
        #expect(fixture.memory.image(for: request.key) === image && !fixture.memory.contains(request.key.original))
        #expect(fixture.disk.keys == [request.key.original])
        #expect(fixture.disk.stored(request.key.original)?.data == PipelineFixture.png)
    }

    // test15ThatQueryCacheTypeWork
    @Test func aLoadReadsOnlyTheTiersOfItsPolicy() async throws {
        let fixture = fixture()
        fixture.storeOnDisk()
        let request = fixture.request().freshness(.cacheOnly)
        await expectError(.notCached) {
            try await fixture.pipeline.image(for: request.cached(rendition: memoryAlone, original: memoryAlone))
        }
        let image = try Image.pixel()
        _ = fixture.memory.store(image, for: request.key)
        let response = try await fixture.pipeline.response(
            for: request.cached(rendition: diskAlone, original: diskAlone))
        #expect(response.origin == .disk && response.image !== image && response.image.size == full)
        #expect(fixture.memory.image(for: request.key) === image)
        #expect(fixture.loader.count(fixture.identity()) == 0)
    }

    // test15ThatOriginalQueryCacheTypeWork
    @Test func aRemovedRenditionIsMadeAgainFromTheCachedOriginal() async throws {
        let fixture = fixture()
        fixture.answer()
        let request = fixture.request().transformed(by: transformer)
            .cached(original: CacheRules(memory: .readWrite, disk: .readWrite))
        _ = try await fixture.pipeline.image(for: request)
        try await fixture.pipeline.flush()
        #expect(fixture.memory.image(for: request.key.original)?.size == full)
        fixture.memory.remove(request.key)
        fixture.disk.remove(request.key)
        _ = try await fixture.pipeline.image(for: request.freshness(.cacheOnly))
        #expect(transformer.count.now == 2 && fixture.loader.count(fixture.identity()) == 1)
        #expect(fixture.memory.contains(request.key))
    }

    // test16ThatTransformerUseDifferentCacheForOriginalAndTransformedImage
    @Test func originalsAndRenditionsMayBeInTheMemoryOfDifferentCaches() async throws {
        let fixture = fixture()
        fixture.answer()
        let caches = (0..<2).map { _ in ImageCache(memory: MemoryCache(limits: CacheLimits(cost: 1 << 20))) }
        let overrides = RequestOverrides(cache: caches[0], originalCache: caches[1])
        let request = fixture.request().transformed(by: transformer).overrides(overrides)
            .cached(rendition: memoryAlone, original: memoryAlone)
        let image = try await fixture.pipeline.image(for: request)
        #expect(caches[0].image(for: request.key) === image && caches[0].image(for: request.key.original) == nil)
        #expect(caches[1].image(for: request.key.original)?.size == full && caches[1].image(for: request.key) == nil)
        #expect(fixture.memory.totalCount == 0 && fixture.disk.keys.isEmpty)
    }

    // MARK: Thumbnails

    // test18ThatThumbnailLoadingCanUseFullSizeCache,
    // test21ThatQueryOriginalDiskCacheFromThumbnailShouldNotWriteBackDiskCache
    @Test func aThumbnailIsMadeFromTheOriginalOnDiskWhichStaysAsItWas() async throws {
        let fixture = fixture()
        fixture.storeOnDisk()
        let before = try #require(fixture.disk.stored(fixture.request().key))
        let small = PixelSize(width: 10, height: 10)
        let request = fixture.request().decoded(.fit(small)).with { $0.policy.delivery.completion = .whenStored }
        let response = try await fixture.pipeline.response(for: request)
        #expect(response.origin == .disk && response.image.size == small)
        #expect(fixture.loader.count(fixture.identity()) == 0)
        let after = try #require(fixture.disk.stored(fixture.request().key))
        #expect(after.data == before.data && after.created == before.created)
        #expect(fixture.disk.keys == [request.key, request.key.original])
        #expect(fixture.memory.contains(request.key) && !fixture.memory.contains(request.key.original))
    }

    // test19ThatDifferentThumbnailLoadShouldCallbackDifferentSize, and test30 of the downloader
    @Test func tenThumbnailsHaveTheirSizesAndShareATransfer() async throws {
        let fixture = fixture()
        let gate = Gate()
        fixture.answer("a", .gated(gate, .data(PipelineFixture.png)))
        let boxes = (40..<50).map { PixelSize(width: $0, height: $0) }
        let tasks = boxes.map { fixture.pipeline.start(fixture.request().decoded(.fit($0))) }
        while fixture.pipeline.activity.loads.subscribers < boxes.count { await Task.yield() }
        gate.open()
        for (box, task) in zip(boxes, tasks) {
            let response = try await task.response
            #expect(response.image.size == box && response.origin == .network)
        }
        #expect(fixture.loader.count(fixture.identity()) == 1)
    }

    // MARK: Options

    // test09ThatCacheKeyFilterWork
    @Test func aKeyFilterNamesTheImageInTheCaches() async throws {
        let fixture = PipelineFixture {
            $0.interceptors = [CacheKeyFilter { $0.path == "/a" ? "named" : nil }]
        }
        let url = try #require(URL(string: "https://example.org/a"))
        fixture.loader.setAnswer(.data(PipelineFixture.png), for: url.absoluteString)
        _ = try await fixture.pipeline.image(for: url)
        try await fixture.pipeline.flush()
        let key = CacheKey(source: "named")
        #expect(fixture.memory.contains(key) && fixture.disk.keys == [key])
    }

    // test11ThatOptionsProcessorWork
    @Test func anInterceptorChangesTheScale() async throws {
        struct Tripling: RequestInterceptor {
            func intercept(_ request: ImageRequest) -> ImageRequest {
                request.source.identity == "closure:a" ? request.with { $0.rendition.decode.scale = 3 } : request
            }
        }
        let fixture = PipelineFixture { $0.interceptors = [Tripling()] }
        for name in ["a", "b"] { fixture.answer(name) }
        #expect(try await fixture.pipeline.image(for: fixture.request("a")).scale == 3)
        #expect(try await fixture.pipeline.image(for: fixture.request("b")).scale == 1)
    }

    // MARK: Shared loads

    // test31ThatMultipleRequestForSameURLNeverSkipCallback and …FailedCallback of the downloader
    @Test(arguments: [false, true])
    func everyLoadThatJoinsWhileTheFormerOneEndsHasAResult(_ isFailing: Bool) async {
        let fixture = fixture()
        fixture.answer("a", isFailing ? .data(Data("<html>".utf8)) : .data(PipelineFixture.png))
        let off = CacheRules(memory: .off, disk: .off)
        let request = fixture.request().cached(rendition: off, original: off).failureMemory(.ignored)
        let codes = await withTaskGroup(of: TintypeError.Code?.self) { group in
            for number in 0..<200 {
                group.addTask {
                    for _ in 0..<number % 7 { await Task.yield() }
                    do throws(TintypeError) {
                        _ = try await fixture.pipeline.image(for: request)
                        return nil
                    } catch {
                        return error.code
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes == Array(repeating: isFailing ? .notAnImage : nil, count: 200))
        while fixture.pipeline.isRunning { await Task.yield() }
    }
}
