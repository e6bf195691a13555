import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// A decoder that records the requested sizes. The colour of each pixel states its position.
private struct SizeRecordingDecoder: ImageDecoder {
    let formats: Set<ImageFormat> = [.png]
    let info: ImageInfo
    let requested = Shared([DecodeOptions.Size]())

    func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? { info }

    func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        requested.withLock { $0.append(context.options.size) }
        let whole = try PixelBuffer.drawn(info.size) { x, y in Pixel(red: UInt8(x), green: UInt8(y), blue: 0) }
        let size = context.options.size
        let target = info.format.isVector ? size.vectorTarget(for: DrawingSize(info.size)) : size.target(for: info.size)
        let pixels = try whole.resampled(to: target, filter: .lanczos3)
        return Image(pixels: pixels, info: info)
    }
}

/// A decoder of parts that records the requested parts.
private struct PartRecordingDecoder: PartialImageDecoder {
    let formats: Set<ImageFormat> = [.png]
    let whole: PixelBuffer
    let requested = Shared([PixelRect?]())

    func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        ImageInfo(format: .png, size: whole.size)
    }

    func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        requested.withLock { $0.append(context.options.crop) }
        let info = ImageInfo(format: .png, size: whole.size)
        let target = try DecodeTarget(info, options: context.options)
        return Image(pixels: try whole.resampled(crop: target.part, to: target.size, filter: .lanczos3), info: info)
    }
}

/// The size and the part to which the first transforms let the decoder decode.
@Suite(.timeLimited) struct DecodedSizeTests {
    private let size = PixelSize(width: 40, height: 30)

    private func run(
        _ transforms: [any ImageTransformer], format: ImageFormat = .png, frameCount: Int = 1,
        scope: Set<TransformScope> = [],
        _ body: (PipelineFixture, ImageRequest) async throws -> Void = { _, _ in }
    ) async throws -> (Image, [DecodeOptions.Size]) {
        var info = ImageInfo(format: format, size: PixelSize(width: 200, height: 100))
        info.frameCount = frameCount
        let decoder = SizeRecordingDecoder(info: info)
        let fixture = PipelineFixture {
            $0.coders = ImageCoderRegistry(decoders: [decoder], encoders: [FakeEncoder()])
        }
        fixture.answer()
        var request = fixture.request()
        try await body(fixture, request)
        request.rendition = Rendition(transforms: transforms, transformScope: scope)
        return (try await fixture.pipeline.image(for: request), decoder.requested.now)
    }

    @Test(arguments: ResizeTransformer.Mode.allCases) func aResizeIsDecodedToSize(_ mode: ResizeTransformer.Mode)
        async throws
    {
        let resize = ResizeTransformer(to: size, mode: mode)
        let (image, requested) = try await run([resize, FlipTransformer(horizontal: true)])
        let whole = try PixelBuffer.drawn(PixelSize(width: 200, height: 100)) { x, y in
            Pixel(red: UInt8(x), green: UInt8(y), blue: 0)
        }
        let expected = try FlipTransformer(horizontal: true).transform(resize.transform(whole))
        #expect(requested.count == 1 && requested.first != .full)
        #expect(try #require(PixelDifference(between: image.pixels, and: expected)).maximum <= 2)
    }

    @Test func anUntransformedImageIsDecodedInFull() async throws {
        let (image, requested) = try await run([ResizeTransformer(to: size)], frameCount: 3)
        #expect(requested == [.full] && image.size == PixelSize(width: 200, height: 100))
        let (resized, sizes) = try await run([ResizeTransformer(to: size)], frameCount: 3, scope: [.animated])
        #expect(sizes == [.fit(size)] && resized.size == PixelSize(width: 40, height: 20))
    }

    @Test func aDecoderWithoutPartsDecodesInFull() async throws {
        let rect = PixelRect(x: 50, y: 20, size: PixelSize(width: 80, height: 60))
        let (image, requested) = try await run([CropTransformer(to: rect), ResizeTransformer(to: size)])
        #expect(requested == [.full] && image.size == size)
        let (part, _) = try await run([CropTransformer(to: rect)])
        #expect(part.size == rect.size && part.pixels[0, 0] == Pixel(red: 50, green: 20, blue: 0))
        let outside = PixelRect(x: 500, y: 0, size: rect.size)
        await expectError(.transformFailed) { _ = try await run([CropTransformer(to: outside)]) }
    }

    @Test(arguments: Gravity.allCases.filter { $0 != .smart }, [false, true])
    func leadingCropsMoveToTheDecoder(_ gravity: Gravity, isInChain: Bool) async throws {
        var random = SeededRandom.printed("head")
        let decoder = PartRecordingDecoder(whole: try .noise(90, 70, &random))
        let crop = CropTransformer(to: PixelSize(width: 41, height: 30), gravity: gravity)
        let head: [any ImageTransformer] = [FlipTransformer(horizontal: true), crop]
        let tails: [[any ImageTransformer]] = [[], [ResizeTransformer(to: PixelSize(width: 20, height: 20))]]
        for tail in tails {
            let fixture = PipelineFixture {
                $0.coders = ImageCoderRegistry(decoders: [decoder], encoders: [FakeEncoder()])
            }
            fixture.answer()
            let all = head + tail
            let expected = try TransformerChain(all).transform(decoder.whole)
            var request = fixture.request()
            request.rendition.transforms = isInChain ? [TransformerChain(all)] : all
            let image = try await fixture.pipeline.image(for: request)
            #expect(try #require(PixelDifference(between: image.pixels, and: expected)).maximum <= 1)
        }
        let part = PixelSize(width: 41, height: 30)
        #expect(decoder.requested.now.map { $0?.size } == [part, part])
    }

    @Test func anOriginalInMemoryIsNotDecodedAgain() async throws {
        let (image, requested) = try await run([ResizeTransformer(to: size)]) { fixture, original in
            _ = try await fixture.pipeline.image(for: original)
        }
        #expect(requested == [.full] && image.size == PixelSize(width: 40, height: 20))
    }

    @Test(arguments: ResizeTransformer.Mode.allCases) func theSizeOfAVectorDoesNotDependOnMemory(
        _ mode: ResizeTransformer.Mode
    ) async throws {
        let resize = ResizeTransformer(to: PixelSize(width: 300, height: 300), mode: mode)
        let (fresh, requested) = try await run([resize], format: .svg, scope: [.vector])
        let (later, again) = try await run([resize], format: .svg, scope: [.vector]) { fixture, original in
            _ = try await fixture.pipeline.image(for: original)
        }
        #expect(requested == Array(again.dropFirst()) && again.first == .full)
        #expect(fresh.size == PixelSize(width: 300, height: mode == .fit ? 150 : 300))
        #expect(PixelDifference(between: fresh.pixels, and: later.pixels)?.maximum == 0)
    }
}
