import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

/// Some frames of an animation as an animation of their own.
@Suite struct PickedFramesTests {
    private let coders = ImageCoderRegistry.standard

    private func rects() throws -> AnimatedImage {
        let data = try FixtureManifest.named("rects.png").data
        return try #require(try coders.decoder(for: data).decode(data, context: DecodeContext()).animation)
    }

    @Test func framesComeInTheRequestedOrder() throws {
        let whole = try rects()
        let indices = [5, 0, 13, 5]
        let picked = try whole.picking(indices)
        #expect(picked.frameCount == 4 && picked.loopCount == whole.loopCount && picked.size == whole.size)
        #expect(picked.durations == indices.map { whole.durations[$0] })
        for order in [[0, 1, 2, 3], [3, 1]] {
            for position in order {
                let expected = try whole.frame(at: indices[position])
                #expect(PixelDifference(between: try picked.frame(at: position), and: expected)?.maximum == 0)
            }
        }
    }

    @Test(arguments: [[], [14], [-1], [0, 99]]) func aMissingFrameIsAnError(_ indices: [Int]) throws {
        let whole = try rects()
        expectError(.noSuchFrame) { try whole.picking(indices) }
    }

    @Test(arguments: [ImageFormat.png, .gif, .webp, .jxl, .avif, .heic]) func anEncoderWritesOnlyThoseFrames(
        _ format: ImageFormat
    ) throws {
        let whole = try rects()
        let data = try coders.encode(whole, as: format, options: EncodeOptions(frames: [4, 2, 7]))
        let again = try #require(try coders.decoder(for: data).decode(data, context: DecodeContext()).animation)
        #expect(again.frameCount == 3)
        guard format != .gif && format != .heic else { return }
        for (position, index) in [4, 2, 7].enumerated() {
            let expected = try whole.frame(at: index)
            #expect(
                try #require(PixelDifference(between: try again.frame(at: position), and: expected)).maximum <= 1,
                "\(index)")
        }
    }

    @Test func oneFrameIsAStillImage() throws {
        let whole = try rects()
        let data = try coders.encode(whole, as: .png, options: EncodeOptions(frames: [6]))
        let image = try coders.decoder(for: data).decode(data, context: DecodeContext())
        #expect(!image.isAnimated)
        #expect(PixelDifference(between: image.pixels, and: try whole.frame(at: 6))?.maximum == 0)
    }

    /// Frames of a transformed animation stay transformed.
    @Test func framesOfATransformedAnimationAreTransformed() throws {
        let flipped = try rects().transformed(by: FlipTransformer(horizontal: true))
        let picked = try flipped.picking([3])
        #expect(PixelDifference(between: picked.poster, and: try flipped.frame(at: 3))?.maximum == 0)
    }
}
