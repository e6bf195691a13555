import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

@Suite(.timeLimited) struct EncodeTests {
    private let fixture = PipelineFixture {
        $0.coders = ImageCoderRegistry(encoders: [FakeEncoder(), FrameCounter()])
    }

    /// Requests every frame and encodes their number.
    private struct FrameCounter: AnimatedImageEncoder {
        let formats: Set<ImageFormat> = [.gif]

        func encode(
            _ pixels: PixelBuffer, as format: ImageFormat, options: EncodeOptions
        ) throws(TintypeError) -> Data { Data([1]) }

        func encode(
            _ animation: AnimatedImage, as format: ImageFormat, options: EncodeOptions
        ) throws(TintypeError) -> Data {
            for index in 0..<animation.frameCount { _ = try animation.frame(at: index) }
            return Data([UInt8(animation.frameCount)])
        }
    }

    private func image(_ drawn: DrawnAnimation) throws -> Image {
        let animation = try drawn.animated(FrameServices())
        return Image(pixels: animation.poster, info: drawn.info, animation: animation)
    }

    @Test func anAnimationIsEncodedAsOneIfTheFormatSupportsIt() async throws {
        let image = try image(try AnimatedImageTests.sprites(4))
        #expect(try await fixture.pipeline.encode(image, as: .gif) == Data([4]))
        let still = try await fixture.pipeline.encode(image, as: .png)
        #expect(try still == fixture.pipeline.configuration.coders.encode(image.pixels, as: .png))
    }

    @Test func aStillImageIsEncodedAsStill() async throws {
        #expect(try await fixture.pipeline.encode(try .pixel(), as: .gif) == Data([1]))
    }

    @Test func aFormatWithoutAnEncoderIsAnError() async throws {
        await expectError(.noCoder) {
            try await fixture.pipeline.encode(try .pixel(), as: .svg)
        }
    }

    @Test func cancellationStopsEncodingBetweenFrames() async throws {
        var drawn = try AnimatedImageTests.sprites(4)
        drawn.held = [1]
        let (image, pipeline) = (try image(drawn), fixture.pipeline)
        let task = Task { try await pipeline.encode(image, as: .gif) }
        while drawn.reached.now != [1] { try await Task.pause() }
        task.cancel()
        drawn.gate.signal()
        await expectError(.cancelled) { try await task.value }
        #expect(drawn.decoded.now == [0, 1])
    }

    // MARK: Limits when the pipeline stores

    /// Encodes the size of the pixels, followed by a byte for each hundredth of the quality.
    private struct SizeEncoder: ImageEncoder {
        let formats: Set<ImageFormat> = [.png, .jpeg]

        func encode(
            _ pixels: PixelBuffer, as format: ImageFormat, options: EncodeOptions
        ) throws(TintypeError) -> Data {
            Data([UInt8(pixels.size.width), UInt8(pixels.size.height)])
                + Data(count: Int((options.quality * 100).rounded()))
        }
    }

    /// Makes a rendition of 8×4 pixels.
    private static let enlarging = ClosureTransformer(identifier: "8×4") { _ in
        try .filled(Pixel(red: 0, green: 0, blue: 0), size: PixelSize(width: 8, height: 4))
    }

    /// Returns what a pipeline stores of a rendition of 8×4 pixels.
    private func stored(
        _ form: LoadPolicy.StoredForm = .automatic, _ options: EncodeOptions = EncodeOptions()
    ) async throws -> Data? {
        let fixture = PipelineFixture {
            $0.coders = ImageCoderRegistry(decoders: [GatedDecoder()], encoders: [SizeEncoder()])
            $0.encodeOptions = options
        }
        fixture.answer()
        var request = fixture.request().transformed(by: Self.enlarging)
        (request.policy.caching.form, request.policy.delivery.completion) = (form, .whenStored)
        let image = try await fixture.pipeline.image(for: request)
        #expect(image.size == PixelSize(width: 8, height: 4))
        return fixture.disk.stored(request.key)?.data
    }

    @Test func aMaximumSizeAppliesToStoredRenditions() async throws {
        let options = EncodeOptions(maximumSize: PixelSize(width: 4, height: 4))
        #expect(try await stored(.automatic, options)?.prefix(2) == Data([4, 2]))
        #expect(try await stored(.encoded(.png, options))?.prefix(2) == Data([4, 2]))
        #expect(try await stored()?.prefix(2) == Data([8, 4]))
    }

    @Test func aMaximumByteCountAppliesToStoredRenditions() async throws {
        let options = EncodeOptions(maximumByteCount: 50)
        #expect(try await stored(.automatic, options)?.count == 50)
        #expect(try await stored(.encoded(.jpeg, options))?.count == 50)
        #expect(try await stored()?.count == 102)
    }

    @Test func aRenditionThatIsTooLargeAtAnyQualityIsNotStored() async throws {
        #expect(try await stored(.automatic, EncodeOptions(maximumByteCount: 1)) == nil)
    }

    @Test func theLimitsApplyToReencodedOriginals() throws {
        let options = EncodeOptions(maximumSize: PixelSize(width: 4, height: 4), maximumByteCount: 50)
        let serializer = CacheSerializer.reencoding([.png], as: .jpeg, with: SizeEncoder(), options: options)
        let size = PixelSize(width: 8, height: 4)
        let image = Image(
            pixels: try .filled(Pixel(red: 0, green: 0, blue: 0), size: size), info: ImageInfo(format: .png, size: size)
        )
        guard case .bytes(let data, .jpeg) = try serializer.form(of: image, Data([1]), for: CacheKey(source: "a"))
        else {
            Issue.record("the original was not encoded")
            return
        }
        #expect(data.count == 50 && data.prefix(2) == Data([4, 2]))
    }
}
