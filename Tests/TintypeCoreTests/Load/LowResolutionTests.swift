import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// Images that are delivered before the requested one: of a source with fewer pixels, or in memory.
@Suite(.timeLimited) struct LowResolutionTests {
    private let fixture = PipelineFixture()

    private func gated(_ name: String) -> Gate {
        let gate = Gate()
        fixture.answer(name, .gated(gate, .data(PipelineFixture.png)))
        return gate
    }

    private var request: ImageRequest { fixture.request("high").lowResolutionFirst(fixture.request("low").source) }

    /// The next event that is not progress.
    private func next(_ events: inout some AsyncIteratorProtocol<ImageEvent, Never>) async -> ImageEvent? {
        while let event = await events.next(isolation: #isolation) {
            if case .progress = event { continue }
            return event
        }
        return nil
    }

    @Test func theLowResolutionSourceIsDeliveredFirst() async throws {
        let (low, high) = (gated("low"), gated("high"))
        let task = fixture.pipeline.start(request)
        var events = task.events.makeAsyncIterator()
        await high.waitForArrivals(1)
        low.open()
        guard case .preview(let preview)? = await next(&events) else {
            Issue.record("no preview")
            return
        }
        high.open()
        let response = try await task.response
        let stored = fixture.memory.image(for: fixture.request("low").key)
        #expect(preview.image === stored && response.image !== stored)
        #expect(fixture.memory.image(for: fixture.request("high").key) === response.image)
        #expect(request.key == fixture.request("high").key)
    }

    @Test func theLowResolutionSourceIsNotLoadedIfTheImageIsCached() async throws {
        for name in ["low", "high"] { fixture.answer(name) }
        fixture.storeOnDisk("high")
        #expect(try await fixture.pipeline.response(for: request).origin == .disk)
        #expect(try await fixture.pipeline.response(for: request).origin == .memory)
        #expect(fixture.loader.count("closure:low") == 0 && fixture.loader.count("closure:high") == 0)
    }

    @Test func theImageEndsTheLoadOfItsLowResolutionSource() async throws {
        let low = gated("low")
        let high = gated("high")
        let task = fixture.pipeline.start(request)
        await low.waitForArrivals(1)
        high.open()
        _ = try await task.response
        await fixture.loader.waitForCancelled(1, of: "closure:low")
        #expect(fixture.loader.cancelledCount("closure:low") == 1 && fixture.loader.cancelledCount("closure:high") == 0)
    }

    @Test func cancellingTheRequestEndsBothLoads() async {
        let (low, high) = (gated("low"), gated("high"))
        let task = fixture.pipeline.start(request)
        await low.waitForArrivals(1)
        await high.waitForArrivals(1)
        task.cancel()
        await expectError(.cancelled) { try await task.response }
        for name in ["low", "high"] { await fixture.loader.waitForCancelled(1, of: "closure:\(name)") }
    }

    @Test func aFailureOfTheLowResolutionSourceIsIgnoredAndOneOfTheImageIsNot() async throws {
        let failure = FakeLoader.Answer.failure(TintypeError(.badStatus, stage: .load, "test"))
        fixture.answer("low", failure)
        fixture.answer("high")
        _ = try await fixture.pipeline.image(for: request)
        fixture.answer("low")
        fixture.answer("high", failure)
        await expectError(.badStatus) { try await fixture.pipeline.image(for: request.freshness(.reload)) }
    }

    @Test func alternativesOfTheImageAreStillFallbacks() async throws {
        for name in ["low", "other"] { fixture.answer(name) }
        fixture.answer("high", .failure(TintypeError(.badStatus, stage: .load, "test")))
        _ = try await fixture.pipeline.image(for: request.orElse(fixture.request("other").source))
        #expect(fixture.memory.contains(fixture.request("other").key))
        #expect(fixture.loader.count("closure:high") == 1)
    }

    @Test func alternativesAreNotLoadedInsteadOfTheImage() async throws {
        for name in ["low", "high", "other"] { fixture.answer(name) }
        _ = try await fixture.pipeline.image(for: request.orElse(fixture.request("other").source))
        #expect(fixture.memory.contains(request.key) && fixture.loader.count("closure:other") == 0)
    }

    @Test func theLowResolutionSourceIsNotLoadedIfTheImageIsRevalidated() async throws {
        for name in ["low", "high"] { fixture.answer(name) }
        fixture.storeOnDisk("high")
        _ = try await fixture.pipeline.image(for: request.freshness(.revalidate))
        #expect(fixture.loader.count("closure:low") == 0 && fixture.loader.count("closure:high") == 1)
    }

    @Test func requestsWithOtherScalesShareOneLoadOnlyWithTheirScale() async throws {
        let gate = gated("high")
        fixture.answer("low")
        let tasks = [Double?.none, 2, 3].map { scale in
            fixture.pipeline.start(request.with { $0.rendition.decode.scale = scale })
        }
        await gate.waitForArrivals(1)
        gate.open()
        var scales: [Double] = []
        for task in tasks { scales.append(try await task.response.image.scale) }
        #expect(scales == [1, 2, 3] && fixture.loader.count("closure:high") == 1)
    }

    @Test func interceptorsRewriteTheLowResolutionSource() async throws {
        struct Renaming: RequestInterceptor {
            func intercept(_ request: ImageRequest) -> ImageRequest {
                request.with { $0.source = .closure(id: "\(request.source.identity)!") { Data() } }
            }
        }
        let fixture = PipelineFixture { $0.interceptors = [Renaming()] }
        let request = fixture.pipeline.services.intercepted(request)
        #expect(request.others?.lowResolution?.source.identity == "closure:closure:low!")
        #expect(request.others?.lowResolution?.facts.hasOtherSources == false)
    }

    @Test func aThumbnailOfTheSameSourceIsALowResolutionImage() async throws {
        let fixture = PipelineFixture(info: ImageInfo(format: .png, size: PixelSize(width: 8, height: 8)))
        fixture.answer()
        // The image waits until the disk has stored it. Its thumbnail does not.
        let gate = Gate()
        fixture.disk.flushGate.withLock { $0 = gate }
        let request = fixture.request().thumbnailFirst(width: 2, height: 2).with {
            $0.policy.delivery.completion = .whenStored
        }
        let task = fixture.pipeline.start(request)
        var events = task.events.makeAsyncIterator()
        guard case .preview(let preview)? = await next(&events) else {
            Issue.record("no preview")
            return
        }
        #expect(preview.image.size == PixelSize(width: 2, height: 2))
        gate.open()
        #expect(try await task.response.image.size == PixelSize(width: 8, height: 8))
        // It is no entry on disk.
        #expect(fixture.disk.keys == [request.key] && fixture.loader.count("closure:a") == 1)
    }

    @Test func aThumbnailMayComeFromTheFileAndHasNoOtherSources() throws {
        let request = fixture.request().thumbnailFirst(width: 2, height: 2).orElse(fixture.request("b").source)
        let thumbnail = try #require(fixture.pipeline.services.intercepted(request).others?.lowResolution)
        #expect(thumbnail.source.identity == request.source.identity && !thumbnail.facts.hasOtherSources)
        #expect(thumbnail.rendition.decode.embeddedThumbnail == .whereLargeEnough)
    }

    @Test func aThumbnailHasOnlyTransformsThatDoNotDependOnTheSizeOfTheImage() {
        let size = PixelSize(width: 30, height: 30)
        let request = fixture.request().transformed(
            by: CropTransformer(to: size), FlipTransformer(horizontal: true), ResizeTransformer(to: size, mode: .fill),
            RoundCornersTransformer(radius: 9), CircleTransformer(), CircleTransformer(borderWidth: 9),
            RotateTransformer(degrees: 90))
        let expected: [any ImageTransformer] = [
            FlipTransformer(horizontal: true), ResizeTransformer(to: size, mode: .fill, isEnlarging: true),
            CircleTransformer(), RotateTransformer(degrees: 90),
        ]
        let thumbnail = request.thumbnail(fitting: PixelSize(width: 2, height: 2))
        #expect(thumbnail.rendition.transforms.map(\.identifier) == expected.map(\.identifier))
    }

    // MARK: Order of previews

    @Test func aPreviewOfTheImageReplacesTheLowResolutionOne() throws {
        let (low, high) = (
            ImageResponse(image: try .pixel(), origin: .network), ImageResponse(image: try .pixel(), origin: .network)
        )
        var status = LayeredStatus()
        let shown = status.showLowResolution(low)
        let first = try #require(shown)
        let second = status.update(LoadStatus(preview: high, previewCount: 1))
        #expect(first.preview?.image === low.image && first.previewCount == 1)
        #expect(second.preview?.image === high.image && second.previewCount == 2)
        var late = LayeredStatus()
        #expect(late.update(LoadStatus(preview: high, previewCount: 1)).previewCount == 1)
        let ignored = late.showLowResolution(low)
        #expect(ignored == nil)
    }

    // MARK: Placeholders

    @Test func anImageInMemoryIsDeliveredFirst() async throws {
        let small = fixture.request("small")
        fixture.answer("small")
        let placeholder = try await fixture.pipeline.image(for: small)
        let gate = gated("high")
        let task = fixture.pipeline.start(
            fixture.request("high").placeholder(small.key).with { $0.rendition.decode.scale = 2 })
        // Before the load has begun to wait.
        var events = task.events.makeAsyncIterator()
        guard case .preview(let preview)? = await events.next(isolation: #isolation) else {
            Issue.record("no preview")
            return
        }
        #expect(preview.image.pixels[0, 0] == placeholder.pixels[0, 0] && preview.image.scale == 2)
        #expect(preview.origin == .memory)
        gate.open()
        #expect(try await task.response.origin == .network)
    }

    @Test func aPlaceholderThatMemoryDoesNotHaveIsNotDelivered() async throws {
        let gate = gated("high")
        let task = fixture.pipeline.start(fixture.request("high").placeholder(CacheKey(source: "no")))
        var events = task.events.makeAsyncIterator()
        gate.open()
        guard case .finished? = await next(&events) else {
            Issue.record("a preview")
            return
        }
    }
}
