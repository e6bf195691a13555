import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// Revalidation (SDWebImage's RefreshCached), and HTTP freshness.
@Suite(.timeLimited) struct RevalidationTests {
    private let newer = PipelineFixture.png + Data([1])
    private let broken = TintypeError(.unreachable, stage: .load, "test")

    /// Returns the origins of the previews and of the result. The loader answers after the first preview.
    private func origins(
        _ fixture: PipelineFixture, _ request: ImageRequest, answering answer: FakeLoader.Answer
    ) async throws -> [ImageOrigin] {
        let gate = Gate()
        fixture.answer("a", .gated(gate, answer))
        var origins: [ImageOrigin] = []
        for await event in fixture.pipeline.start(request).events {
            switch event {
            case .info, .progress: break
            case .preview(let response):
                origins.append(response.origin)
                gate.open()
            case .finished(let result): origins.append(try result.get().origin)
            }
        }
        return origins
    }

    // MARK: Revalidate

    @Test(arguments: [false, true])
    func anImageOnDiskIsThePreview(isTransformed: Bool) async throws {
        let fixture = PipelineFixture()
        fixture.storeOnDisk()
        let plain = fixture.request().freshness(.revalidate)
        let request = isTransformed ? plain.transformed(by: CountingTransformer(identifier: "t")) : plain
        #expect(try await origins(fixture, request, answering: .data(newer)) == [.disk, .network])
    }

    @Test func theCachedPreviewIsNotStored() async throws {
        let fixture = PipelineFixture(info: ImageInfo(format: .png, size: PixelSize(width: 9, height: 9)))
        fixture.storeOnDisk()
        let gate = Gate()
        fixture.answer("a", .gated(gate, .data(newer)))
        let request = fixture.request().fitting(width: 3).freshness(.revalidate)
        for await event in fixture.pipeline.start(request).events {
            guard case .preview = event else { continue }
            try await fixture.pipeline.flush()
            #expect(fixture.memory.totalCount == 0 && fixture.disk.keys == [request.key.original])
            gate.open()
        }
        #expect(fixture.pipeline.cachedImage(for: request.freshness(.cached)) != nil)
    }

    @Test func noPartialPreviewFollowsACompleteImage() async throws {
        let fixture = PipelineFixture()
        fixture.storeOnDisk()
        let request = fixture.request().freshness(.revalidate).previews(.progressive(every: .zero))
        #expect(try await origins(fixture, request, answering: .data(newer)) == [.disk, .network])
    }

    @Test func theCachedImageIsAPreviewAndTheNewOneTheResult() async throws {
        let fixture = PipelineFixture()
        fixture.answer()
        let old = try await fixture.pipeline.image(for: fixture.request())
        fixture.clock.advance(by: .seconds(10))
        let request = fixture.request().freshness(.revalidate)
        #expect(try await origins(fixture, request, answering: .data(newer)) == [.memory, .network])
        #expect(fixture.disk.stored(fixture.request().key)?.data == newer)
        #expect(fixture.pipeline.cachedImage(for: fixture.request()) !== old)
    }

    @Test func aConfirmedEntryIsTheResultAndItsMetadataIsRenewed() async throws {
        let fixture = PipelineFixture()
        fixture.answer()
        let old = try await fixture.pipeline.image(for: fixture.request())
        let stored = try #require(fixture.disk.stored(fixture.request().key))
        fixture.clock.advance(by: .seconds(10))
        fixture.answer("a", .notModified(metadata: Data("new".utf8)))
        let response = try await fixture.pipeline.response(for: fixture.request().freshness(.revalidate))
        #expect(response.image === old && response.revalidationFailure == nil)
        let renewed = try #require(fixture.disk.stored(fixture.request().key))
        #expect(renewed.data == stored.data && renewed.metadata == Data("new".utf8))
        #expect(renewed.created == stored.created && fixture.decoder.decodeCount == 1)
    }

    @Test func aFailedRevalidationDeliversTheCachedImage() async throws {
        let fixture = PipelineFixture()
        fixture.storeOnDisk()
        fixture.answer("a", .failure(broken))
        let response = try await fixture.pipeline.response(for: fixture.request().freshness(.revalidate))
        #expect(response.origin == .disk && response.revalidationFailure?.code == .unreachable)
        #expect(fixture.disk.stored(fixture.request().key)?.data == PipelineFixture.png)
    }

    @Test func anImageOnlyInMemoryIsTheResultIfTheOriginFails() async throws {
        let fixture = PipelineFixture()
        fixture.answer()
        let request = fixture.request().cached(original: CacheRules(memory: .off, disk: .off))
        let old = try await fixture.pipeline.image(for: request)
        fixture.answer("a", .failure(broken))
        let response = try await fixture.pipeline.response(for: request.freshness(.revalidate))
        #expect(response.image === old && response.revalidationFailure?.code == .unreachable)
    }

    @Test func bytesThatAreNotAnImageReplaceNoEntry() async throws {
        let fixture = PipelineFixture()
        fixture.storeOnDisk()
        fixture.answer("a", .data(Data("<html>captive portal".utf8)))
        let request = fixture.request().freshness(.revalidate)
        let response = try await fixture.pipeline.response(for: request)
        #expect(response.revalidationFailure?.code == .notAnImage)
        #expect(fixture.disk.stored(fixture.request().key)?.data == PipelineFixture.png)
    }

    @Test func revalidatingWithoutAnEntryIsAnOrdinaryLoad() async throws {
        let fixture = PipelineFixture()
        fixture.answer()
        #expect(try await fixture.pipeline.response(for: fixture.request().freshness(.revalidate)).origin == .network)
        fixture.answer("b", .failure(broken))
        await expectError(.unreachable) {
            try await fixture.pipeline.image(for: fixture.request("b").freshness(.revalidate))
        }
    }

    @Test func renditionsOfTheOldBytesAreMadeAgain() async throws {
        let fixture = PipelineFixture()
        fixture.answer()
        let transformer = CountingTransformer(identifier: "t")
        let request = fixture.request().transformed(by: transformer)
        _ = try await fixture.pipeline.image(for: request)
        fixture.clock.advance(by: .seconds(10))
        let refresh = request.freshness(.revalidate)
        #expect(try await origins(fixture, refresh, answering: .data(newer)) == [.memory, .network])
        #expect(transformer.count.now == 2)
    }

    @Test func equalRevalidationsShareOneRequest() async throws {
        let fixture = PipelineFixture()
        fixture.storeOnDisk()
        let gate = Gate()
        fixture.answer("a", .gated(gate, .data(newer)))
        let tasks = (0..<10).map { _ in fixture.pipeline.start(fixture.request().freshness(.revalidate)) }
        await gate.waitForArrivals(1)
        gate.open()
        for task in tasks { #expect(try await task.response.data == newer) }
        #expect(fixture.loader.count(fixture.identity()) == 1)
    }

    // MARK: HTTP freshness

    @Test func aFreshEntryMakesNoRequest() async throws {
        let fixture = PipelineFixture()
        fixture.storeOnDisk()
        let request = fixture.request().freshness(.http)
        #expect(try await fixture.pipeline.response(for: request).origin == .disk)
        #expect(try await fixture.pipeline.response(for: request).origin == .memory)
        #expect(fixture.loader.count(fixture.identity()) == 0)
    }

    @Test func aStaleEntryIsRevalidated() async throws {
        let fixture = PipelineFixture()
        fixture.storeOnDisk(metadata: Data("old".utf8))
        fixture.loader.judge(.stale(usableOnError: false))
        fixture.answer("a", .notModified(metadata: Data("new".utf8)))
        let request = fixture.request().freshness(.http)
        #expect(try await fixture.pipeline.response(for: request).origin == .disk)
        #expect(fixture.loader.lastContext(fixture.identity())?.stored?.metadata == Data("old".utf8))
        #expect(fixture.disk.stored(fixture.request().key)?.metadata == Data("new".utf8))
        fixture.answer("a", .data(newer))
        #expect(try await fixture.pipeline.response(for: request).data == newer)
    }

    @Test(arguments: [true, false])
    func staleIfErrorAppliesToFailuresAndServerErrors(_ isUsable: Bool) async throws {
        let fixture = PipelineFixture()
        fixture.storeOnDisk()
        fixture.loader.judge(.stale(usableOnError: isUsable))
        let request = fixture.request().freshness(.http)
        for error in [broken, TintypeError(.badStatus, stage: .load, "HTTP 503", status: 503)] {
            fixture.answer("a", .failure(error))
            if isUsable {
                #expect(try await fixture.pipeline.response(for: request).revalidationFailure?.code == error.code)
            } else {
                await expectError(error.code) { try await fixture.pipeline.image(for: request) }
            }
        }
        fixture.answer("a", .failure(TintypeError(.badStatus, stage: .load, "HTTP 404", status: 404)))
        await expectError(.badStatus) { try await fixture.pipeline.image(for: request) }
        #expect(fixture.disk.stored(fixture.request().key) != nil)
    }

    @Test func staleWhileRevalidateDeliversAtOnceAndRevalidatesInTheBackground() async throws {
        let fixture = PipelineFixture()
        fixture.storeOnDisk()
        fixture.loader.judge(.usableWhileRevalidating)
        let gate = Gate()
        fixture.answer("a", .gated(gate, .data(newer)))
        let request = fixture.request().freshness(.http)
        #expect(try await fixture.pipeline.response(for: request).origin == .disk)
        await gate.waitForArrivals(1)
        // `flush()` does not wait for a background revalidation.
        try await fixture.pipeline.flush()
        gate.open()
        await fixture.pipeline.services.revalidations.wait()
        #expect(fixture.disk.stored(fixture.request().key)?.data == newer)
        #expect(fixture.loader.lastContext(fixture.identity())?.priority == .low)
    }

    @Test func aResponseThatMayNotBeStoredIsOnlyDelivered() async throws {
        let fixture = PipelineFixture(loader: FakeLoader(isStorable: false))
        fixture.answer()
        let request = fixture.request().fitting(width: 1).freshness(.http)
        _ = try await fixture.pipeline.image(for: request)
        try await fixture.pipeline.flush()
        #expect(fixture.disk.keys.isEmpty)
        // By default the origin's caching rules are ignored.
        _ = try await fixture.pipeline.image(for: fixture.request())
        #expect(fixture.disk.keys == [fixture.request().key])
    }
}
