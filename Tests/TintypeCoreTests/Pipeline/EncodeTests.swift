import Foundation
import Testing
import TintypeTesting

@testable import TintypeCore

@Suite(.timeLimit(.minutes(15))) struct EncodeTests {
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
        let error = await #expect(throws: TintypeError.self) {
            try await fixture.pipeline.encode(try .pixel(), as: .svg)
        }
        #expect(error?.code == .noCoder)
    }

    @Test func cancellationStopsEncodingBetweenFrames() async throws {
        var drawn = try AnimatedImageTests.sprites(4)
        drawn.held = [1]
        let (image, pipeline) = (try image(drawn), fixture.pipeline)
        let task = Task { try await pipeline.encode(image, as: .gif) }
        while drawn.reached.now != [1] { try await Task.pause() }
        task.cancel()
        drawn.gate.signal()
        let error = await #expect(throws: TintypeError.self) { try await task.value }
        #expect(error?.code == .cancelled && drawn.decoded.now == [0, 1])
    }
}
