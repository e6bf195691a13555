import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

@Suite struct TransformedPreviewsTests {
    private func status(_ count: Int, received: Int = 0) throws -> LoadStatus {
        LoadStatus(
            progress: LoadProgress(received: received),
            preview: count == 0 ? nil : ImageResponse(image: try .pixel(), origin: .network), previewCount: count)
    }

    @Test func progressDoesNotWaitForATransform() throws {
        var state = TransformedPreviews()
        let (first, isStepDue) = state.receive(try status(1, received: 10))
        #expect(first.preview == nil && first.previewCount == 0 && first.progress.received == 10 && isStepDue)
        let (second, another) = state.receive(try status(1, received: 20))
        #expect(second.progress.received == 20 && !another)
    }

    @Test func theNewestOfThePreviewsThatWaitIsTransformedNext() throws {
        var state = TransformedPreviews()
        let transformed = ImageResponse(image: try .pixel(), origin: .network)
        _ = state.receive(try status(1))
        _ = state.receive(try status(2))
        _ = state.receive(try status(3))
        let (report, goesOn) = state.finishStep(1, transformed)
        #expect(report.previewCount == 1 && report.preview?.image === transformed.image && goesOn)
        #expect(state.next?.0 == 3)
        let (last, goesOnAgain) = state.finishStep(3, transformed)
        #expect(last.previewCount == 3 && !goesOnAgain)
        let (late, isStepDue) = state.receive(try status(2, received: 9))
        #expect(late.previewCount == 3 && late.progress.received == 9 && !isStepDue)
    }

    @Test func aPreviewThatCannotBeTransformedIsNotRepeated() throws {
        var state = TransformedPreviews()
        _ = state.receive(try status(1))
        let (report, goesOn) = state.finishStep(1, nil)
        let (next, isStepDue) = state.receive(try status(1, received: 5))
        #expect(report.preview == nil && !goesOn && next.preview == nil && !isStepDue)
    }
}

/// Previews in the pipeline: transformed, and kept in memory.
@Suite(.timeLimited) struct TransformedPreviewTests {
    /// Delivers the bytes of an image, and returns when its gate opens.
    private struct SlowLoader: ImageLoader {
        let gate: Gate

        func canLoad(_ source: ImageSource) -> Bool { true }

        @concurrent
        func load(_ source: ImageSource, context: LoadContext) async throws(TintypeError) -> LoadedBytes {
            try PipelineFixture.png.withTypedBytes { bytes throws(TintypeError) in try context.received.append(bytes) }
            guard await gate.wait() else { throw .cancelled }
            return LoadedBytes(data: PipelineFixture.png, origin: .network)
        }
    }

    /// A decoder whose previews are grey.
    private final class GreyPreviews: ImageDecoder, IncrementalImageDecoder {
        let formats: Set<ImageFormat> = [.png]
        let info = ImageInfo(format: .png, size: PixelSize(width: 4, height: 2))

        func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? { info }

        func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image { try image(255) }

        func makeIncrementalDecoder(context: DecodeContext) -> (any IncrementalImageDecoder)? { self }

        func append(_ bytes: Data) throws(TintypeError) -> Image? { try image(128) }

        private func image(_ shade: UInt8) throws(TintypeError) -> Image {
            let pixel = Pixel(red: shade, green: shade, blue: shade)
            return Image(pixels: try PixelBuffer.filled(pixel, size: info.size), info: info)
        }
    }

    private func fixture(_ gate: Gate) -> PipelineFixture {
        PipelineFixture {
            $0.loaders = [SlowLoader(gate: gate)]
            $0.coders = ImageCoderRegistry(decoders: [GreyPreviews()])
        }
    }

    private func firstPreview(of task: ImageTask) async throws -> ImageResponse {
        for await event in task.events {
            if case .preview(let preview) = event { return preview }
        }
        throw CancellationError()
    }

    /// A transformer that makes images red, and may apply to previews.
    private func red(_ transformsPreviews: Bool) -> ClosureTransformer {
        ClosureTransformer(identifier: "red", transformsPreviews: transformsPreviews) {
            try PixelBuffer.filled(Pixel(red: 255, green: 0, blue: 0), size: $0.size)
        }
    }

    @Test(arguments: [true, false])
    func previewsAreTransformedByTheTransformersThatWantIt(_ transformsPreviews: Bool) async throws {
        let gate = Gate()
        let fixture = fixture(gate)
        let crop = CropTransformer(to: PixelRect(x: 1, y: 0, size: PixelSize(width: 2, height: 2)))
        let request = fixture.request().previews(.progressive(every: .zero))
            .transformed(by: red(transformsPreviews), crop)
        let task = fixture.pipeline.start(request)
        let preview = try await firstPreview(of: task)
        #expect(preview.image.size == PixelSize(width: 2, height: 2))
        #expect(preview.image.pixels[0, 0].green == (transformsPreviews ? 0 : 128))
        gate.open()
        let image = try await task.response.image
        #expect(image.size == preview.image.size && image.pixels[0, 0] == Pixel(red: 255, green: 0, blue: 0))
    }

    @Test func theTransformersOfTintypeChooseByWhatTheyDo() {
        let size = PixelSize(width: 1, height: 1)
        let yes: [any ImageTransformer] = [
            ResizeTransformer(to: size), CropTransformer(to: size), FlipTransformer(), RotateTransformer(degrees: 1),
            RoundCornersTransformer(radius: 1), CircleTransformer(), TintTransformer(.black), ColorTransformer(.grey),
            FlattenTransformer(), PadTransformer(top: 1, left: 1, bottom: 1, right: 1), CanvasTransformer(size),
            TransformerChain.letterbox(size),
        ]
        let no: [any ImageTransformer] = [
            CropTransformer(to: size, gravity: .smart), ResizeTransformer(to: size, mode: .fill, gravity: .smart),
            TrimTransformer(), BlurTransformer(radius: 1), ClosureTransformer(identifier: "a") { $0 },
            TransformerChain([FlipTransformer(), TrimTransformer()]),
        ]
        #expect(yes.allSatisfy(\.transformsPreviews) && !no.contains(where: \.transformsPreviews))
    }

    @Test(arguments: [LoadPolicy.PreviewStorage.memory, .none])
    func aPreviewIsKeptInMemoryOnRequest(_ storage: LoadPolicy.PreviewStorage) async throws {
        let gate = Gate()
        let fixture = fixture(gate)
        var request = fixture.request().previews(.progressive(every: .zero))
        request.policy.delivery.previewStorage = storage
        let first = fixture.pipeline.start(request)
        let preview = try await firstPreview(of: first)
        first.cancel()
        #expect(fixture.memory.totalCount == (storage == .memory ? 1 : 0))
        #expect(fixture.pipeline.cachedImage(for: request) == nil)
        // The next request begins with it, even if it wants no previews of its own.
        let second = fixture.pipeline.start(request.previews(.none))
        if storage == .memory { #expect(try await firstPreview(of: second).image === preview.image) }
        gate.open()
        #expect(try await second.response.image.pixels[0, 0].red == 255)
        #expect(fixture.memory.totalCount == 1 && fixture.pipeline.cachedImage(for: request) != nil)
    }

    @Test(arguments: [
        LoadPolicy(caching: LoadPolicy.Caching(rendition: CacheRules(memory: .off))),
        LoadPolicy(caching: LoadPolicy.Caching(rendition: CacheRules(memory: .readOnly))),
        LoadPolicy(freshness: .http),
    ]) func aPreviewIsNotKeptAgainstTheRulesOfTheCaches(_ policy: LoadPolicy) async throws {
        let fixture = fixture(Gate())
        let request = fixture.request().with {
            $0.policy = policy
            ($0.policy.delivery.previews, $0.policy.delivery.previewStorage) = (.progressive(every: .zero), .memory)
        }
        let task = fixture.pipeline.start(request)
        _ = try await firstPreview(of: task)
        task.cancel()
        #expect(fixture.memory.totalCount == 0)
    }

    /// Whichever key it has, another thread may remove the image as soon as it was returned.
    @Test(arguments: [true, false]) func aPlaceholderIsLookedUpOnce(_ isPreview: Bool) async throws {
        let (gate, cache, image) = (Gate(), CountingCache(removesOnHit: true), try Image.pixel())
        let fixture = PipelineFixture { $0.cache = cache }
        fixture.answer("a", .gated(gate, .data(PipelineFixture.png)))
        let small = fixture.request("small").key
        let request = fixture.request().with {
            $0.policy.delivery.previewStorage = .memory
            $0.placeholderKey = small
        }
        let key = isPreview ? request.key.preview : small
        _ = cache.store(image, for: key, timeToLive: nil)
        let task = fixture.pipeline.start(request)
        #expect(task.preview?.image === image && cache.lookups(of: key) == 1)
        gate.open()
        _ = try await task.response
    }

    @Test(arguments: [nil, Duration.zero]) func aKeptPreviewExpires(_ timeToLive: Duration?) throws {
        let fixture = fixture(Gate())
        let request = fixture.request().with { $0.policy.caching.timeToLive = timeToLive }
        PreviewKeeper(request, fixture.pipeline.services).store(ImageResponse(image: try .pixel(), origin: .network))
        #expect((fixture.memory.image(for: request.key.preview) == nil) == (timeToLive != nil))
    }

    /// A load may report a preview on one thread while it ends on another.
    @Test func noPreviewIsKeptAfterTheImage() throws {
        let fixture = fixture(Gate())
        let keeper = PreviewKeeper(fixture.request(), fixture.pipeline.services)
        let response = ImageResponse(image: try .pixel(), origin: .network)
        keeper.store(response)
        #expect(fixture.memory.totalCount == 1)
        keeper.end(.success(response))
        keeper.store(response)
        #expect(fixture.memory.totalCount == 0)
    }
}
