import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// SDWebImage's options that concern the pipeline, under their names in SDWebImage. `ViewRuleTests` covers those of
/// views.
@Suite("SDWebImageOptions", .timeLimited) struct OptionsTests {
    private let html = FakeLoader.Answer.data(Data("<html>".utf8))

    @Test func retryFailedLoadsAgainAndASuccessClearsTheFailure() async throws {
        let fixture = PipelineFixture()
        fixture.answer("a", html)
        await expectError(.notAnImage) { try await fixture.pipeline.image(for: fixture.request()) }
        fixture.answer()
        await expectError(.failedBefore) { try await fixture.pipeline.image(for: fixture.request()) }
        _ = try await fixture.pipeline.image(for: fixture.request().failureMemory(.ignored))
        #expect(fixture.pipeline.failureMemory.all.isEmpty)
    }

    @Test func retryFailedStillRecordsFailures() async {
        // SDWebImage does not record the failure here. Tintype does, which saves the next request that respects
        // failures.
        let fixture = PipelineFixture()
        fixture.answer("a", html)
        await expectError(.notAnImage) {
            try await fixture.pipeline.image(for: fixture.request().failureMemory(.ignored))
        }
        await expectError(.failedBefore) { try await fixture.pipeline.image(for: fixture.request()) }
    }

    @Test(arguments: [ImagePriority.low, .high])
    func lowAndHighPriorityReachTheLoader(_ priority: ImagePriority) async throws {
        let fixture = PipelineFixture()
        let gate = Gate()
        fixture.answer("a", .gated(gate, .data(PipelineFixture.png)))
        let task = fixture.pipeline.start(fixture.request().priority(priority))
        await gate.waitForArrivals(1)
        let context = try #require(fixture.loader.lastContext(fixture.identity()))
        // Waits up to the suite's time limit: the priority may not have reached the loader yet.
        await context.job.waitForPriority(priority)
        task.priority = .veryHigh
        await context.job.waitForPriority(.veryHigh)
        gate.open()
        _ = try await task.response
    }

    // ProgressiveLoad: see PreviewTests, IncrementalTests of the codecs and EndToEndTests.

    // RefreshCached: see RevalidationTests.

    @Test func decodeFirstFrameOnlyHasItsOwnKey() async throws {
        let animated = ImageInfo(
            format: .png, size: PixelSize(width: 1, height: 1), frameCount: 3, durations: [0.1, 0.1, 0.1])
        let fixture = PipelineFixture(info: animated)
        fixture.answer()
        let transformer = CountingTransformer(identifier: "t")
        let request = fixture.request().transformed(by: transformer).frames(.first)
        #expect(request.key != fixture.request().transformed(by: transformer).key)
        _ = try await fixture.pipeline.image(for: request)
        #expect(transformer.count.now == 1)
    }

    @Test func matchAnimatedImageClassFailsForAStillImage() async throws {
        let fixture = PipelineFixture()
        fixture.answer()
        await expectError(.notAnimated) {
            try await fixture.pipeline.image(for: fixture.request().frames(.animatedOnly))
        }
        // Not recorded as a failure of the source: a request for a still image succeeds.
        _ = try await fixture.pipeline.image(for: fixture.request())
    }

    @Test func transformAnimatedImageIsOffByDefault() async throws {
        let animated = ImageInfo(
            format: .png, size: PixelSize(width: 1, height: 1), frameCount: 2, durations: [0.1, 0.1])
        let fixture = PipelineFixture(info: animated)
        fixture.answer()
        let transformer = CountingTransformer(identifier: "t")
        let request = fixture.request().transformed(by: transformer)
        _ = try await fixture.pipeline.image(for: request)
        #expect(transformer.count.now == 0)
        _ = try await fixture.pipeline.image(for: request.transformed(scope: [.animated]))
        #expect(transformer.count.now == 1)
    }

    @Test func transformVectorImageIsOffByDefault() async throws {
        let vector = ImageInfo(format: .svg, size: PixelSize(width: 1, height: 1))
        let fixture = PipelineFixture(info: vector)
        fixture.answer()
        let transformer = CountingTransformer(identifier: "t")
        let request = fixture.request().transformed(by: transformer)
        _ = try await fixture.pipeline.image(for: request)
        #expect(transformer.count.now == 0)
        _ = try await fixture.pipeline.image(for: request.transformed(scope: [.vector]))
        #expect(transformer.count.now == 1)
    }

    @Test func scaleDownLargeImagesIsInTheKey() async throws {
        let fixture = PipelineFixture(info: ImageInfo(format: .png, size: PixelSize(width: 100, height: 100)))
        fixture.answer()
        let small = try await fixture.pipeline.image(for: fixture.request().decoded(.atMost(bytes: 400)))
        let full = try await fixture.pipeline.image(for: fixture.request())
        #expect(small.size == PixelSize(width: 10, height: 10) && full.size == PixelSize(width: 100, height: 100))
        #expect(fixture.request().decoded(.atMost(bytes: 400)).key != fixture.request().key)
    }

    @Test func queryMemoryDataAlsoReadsTheBytes() async throws {
        let fixture = PipelineFixture()
        fixture.answer()
        _ = try await fixture.pipeline.image(for: fixture.request())
        #expect(try await fixture.pipeline.response(for: fixture.request()).data == nil)
        let request = fixture.request().with { $0.policy.delivery.data = .always }
        #expect(try await fixture.pipeline.response(for: request).data == PipelineFixture.png)
        #expect(await fixture.pipeline.cachedData(for: fixture.request()) == PipelineFixture.png)
    }

    @Test func queryMemoryDataNeitherLoadsNorFails() async throws {
        let fixture = PipelineFixture()
        fixture.answer()
        let request = fixture.request().cached(original: CacheRules(memory: .off, disk: .off))
        _ = try await fixture.pipeline.image(for: request)
        for freshness in [LoadPolicy.Freshness.cached, .cacheOnly] {
            let response = try await fixture.pipeline.response(
                for: request.freshness(freshness).with { $0.policy.delivery.data = .always })
            #expect(response.origin == .memory && response.data == nil)
        }
        #expect(fixture.loader.count(fixture.identity()) == 1)
    }

    @Test func queryMemoryDataSyncIsABlockingCall() async throws {
        let fixture = PipelineFixture()
        fixture.storeOnDisk()
        let data = await onNewThread { fixture.pipeline.blockingCachedData(for: fixture.request()) }
        #expect(data == PipelineFixture.png)
        #expect(fixture.pipeline.blockingCachedData(for: fixture.request("b")) == nil)
    }

    @Test func queryDiskDataSyncIsABlockingCall() async throws {
        let fixture = PipelineFixture()
        fixture.storeOnDisk()
        let images = await onNewThread {
            ["a", "b"].map { fixture.pipeline.blockingCachedImage(for: fixture.request($0)) }
        }
        #expect(images[0] != nil && images[1] == nil)
        #expect(fixture.pipeline.cachedImage(for: fixture.request()) === images[0])
        #expect(fixture.loader.count(fixture.identity()) == 0)
    }

    @Test func fromCacheOnlyNeverCallsTheLoader() async {
        let fixture = PipelineFixture()
        fixture.answer()
        await expectError(.notCached) { try await fixture.pipeline.image(for: fixture.request().freshness(.cacheOnly)) }
        #expect(fixture.loader.count(fixture.identity()) == 0)
    }

    @Test func fromLoaderOnlyNeverReadsACache() async throws {
        let fixture = PipelineFixture()
        fixture.storeOnDisk()
        fixture.answer("a", .data(PipelineFixture.png + Data([1])))
        let reads = fixture.disk.reads
        let response = try await fixture.pipeline.response(for: fixture.request().freshness(.reload))
        #expect(response.origin == .network && fixture.disk.reads == reads)
    }

    @Test func waitStoreCacheWaitsForTheOriginal() async throws {
        let fixture = PipelineFixture()
        fixture.answer()
        let request = fixture.request().cached(rendition: CacheRules(memory: .off, disk: .off))
            .with { $0.policy.delivery.completion = .whenStored }
        _ = try await fixture.pipeline.image(for: request)
        #expect(fixture.disk.flushes > 0 && fixture.disk.keys == [request.key])
    }

    @Test func waitStoreCacheWaitsForAllEntries() async throws {
        let fixture = PipelineFixture()
        fixture.answer()
        let request = fixture.request().transformed(by: CountingTransformer(identifier: "t"))
            .with { $0.policy.delivery.completion = .whenStored }
        _ = try await fixture.pipeline.image(for: request)
        #expect(fixture.disk.keys == [request.key, request.key.original])
        #expect(fixture.disk.flushes > 0)
    }
}
