import Foundation
import Testing
import Tintype
import TintypeTesting

@testable import TintypeGIF

/// Images and animations that the files of a format cannot represent.
@Suite struct HostileWriterTests {
    private let coders = ImageCoderRegistry.standard

    /// Two frames of a program's own format.
    private struct OwnDecoder: AnimatedImageDecoder {
        let loopCount: Int
        let formats: Set<ImageFormat> = [OwnFrames.format]

        func info(of bytes: Data, isComplete: Bool) -> ImageInfo? {
            ImageInfo(
                format: OwnFrames.format, size: PixelSize(width: 4, height: 4), frameCount: 2, loopCount: loopCount)
        }

        func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
            throw TintypeError(.undecodable, stage: .decode, "only frames")
        }

        func makeFrameDecoder(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> any FrameDecoder {
            OwnFrames(loopCount: loopCount)
        }
    }

    private final class OwnFrames: FrameDecoder {
        static let format = ImageFormat(rawValue: "own")
        let loopCount: Int
        let canvasSize = PixelSize(width: 4, height: 4)

        init(loopCount: Int) {
            self.loopCount = loopCount
        }

        var frames: [AnimationFrame] {
            let rect = PixelRect(x: 0, y: 0, size: canvasSize)
            return [Double.nan, -1].map { AnimationFrame(rect: rect, duration: $0) }
        }

        func pixels(of index: Int, isCancelled: @escaping @Sendable () -> Bool) throws(TintypeError) -> PixelBuffer {
            try .filled(Pixel(red: UInt8(index), green: 2, blue: 3), size: canvasSize)
        }
    }

    @Test(arguments: [ImageFormat.avif, .gif, .heic, .jxl, .png, .webp], [-1, Int.min, Int.max])
    func anyLoopCountAndDurationAreWritten(_ format: ImageFormat, _ count: Int) throws {
        let decoder = OwnDecoder(loopCount: count)
        let info = try #require(decoder.info(of: Data(), isComplete: true))
        let animation = try AnimatedImage(Data(), decoder: decoder, info: info, context: DecodeContext())
        #expect(animation.loopCount == max(0, count))
        let data = try coders.encode(animation, as: format)
        let written = try coders.decoder(for: data).decode(data, context: DecodeContext())
        #expect(written.info.loopCount >= 0 && written.info.frameCount == 2)
    }

    /// Longer than GIF, JPEG, WebP or HEVC can be.
    @Test(arguments: [ImageFormat.avif, .bmp, .gif, .heic, .jpeg, .jxl, .png, .tiff, .webp], [true, false])
    func imagesOfAnySizeAreWrittenOrFail(_ format: ImageFormat, _ isWide: Bool) throws {
        let size = PixelSize(width: isWide ? 70_000 : 2, height: isWide ? 2 : 70_000)
        let pixels = try PixelBuffer.filled(Pixel(red: 1, green: 2, blue: 3), size: size)
        do throws(TintypeError) {
            let data = try coders.encode(pixels, as: format)
            var limits = DecodeLimits()
            limits.side = 100_000
            let context = DecodeContext(limits: limits)
            #expect(try coders.decoder(for: data).decode(data, context: context).size == size)
        } catch {
            #expect(error.code == .encodeFailed && [.avif, .gif, .heic, .jpeg, .webp].contains(format), "\(error)")
        }
    }

    @Test func aFrameBeyondItsCanvasIsRefused() throws {
        let pixels = try PixelBuffer.filled(Pixel(red: 1, green: 2, blue: 3), size: PixelSize(width: 4, height: 4))
        var histogram = ColorHistogram(limit: 256)
        histogram.add(pixels)
        let palette = ColorPalette(histogram, hasTransparency: false)
        for (x, y, isWithin) in [(0, 0, true), (1, 0, false), (0, 1, false), (65_535, 65_535, false)] {
            let writer = try GIFWriter(size: pixels.size, shared: nil, repeats: nil)
            let patch = GIFFramePatch(pixels: pixels, rect: PixelRect(x: x, y: y, size: pixels.size), isCleared: false)
            let indices = [UInt8](repeating: 0, count: pixels.size.area)
            let isWritten =
                (try? writer.add(
                    patch, delay: 1, palette: palette, transparentIndex: nil, indices: indices)) != nil
            #expect(isWritten == isWithin)
        }
    }
}
