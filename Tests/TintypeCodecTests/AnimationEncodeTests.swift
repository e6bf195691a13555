import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

@Suite struct AnimationEncodeTests {
    private static let lossless: [ImageFormat] = [.avif, .jxl, .png, .webp]
    private static let all: [ImageFormat] = lossless + [.gif, .heic]
    private let coders = ImageCoderRegistry.standard

    private func decode(_ data: Data) throws(TintypeError) -> Image {
        try coders.decoder(for: data).decode(data, context: DecodeContext())
    }

    private func animation(_ data: Data) throws -> AnimatedImage { try #require(try decode(data).animation) }

    private func encoded(
        _ animation: AnimatedImage, _ format: ImageFormat, _ options: EncodeOptions = EncodeOptions()
    ) throws -> AnimatedImage { try self.animation(try coders.encode(animation, as: format, options: options)) }

    /// Returns an animation of 8 × 6 pixels; each frame has another pixel changed.
    private func makeAnimation(_ durations: [Double], loopCount: Int = 0) throws -> AnimatedImage {
        let size = PixelSize(width: 8, height: 6)
        let frames = try durations.indices.map { index in
            TimedImage(
                try .drawn(size) { x, y in
                    y * 8 + x == index % 48 ? Pixel(red: 255, green: 200, blue: 0) : Pixel(red: 9, green: 80, blue: 99)
                }, duration: durations[index])
        }
        return try AnimatedImage(frames, loopCount: loopCount)
    }

    /// Expects the same image at the middle of each frame of the original, and the same total duration.
    private func expect(_ written: AnimatedImage, shows original: AnimatedImage) throws {
        var time = 0.0
        let ends = written.durations.reduce(into: [Double]()) { $0.append(($0.last ?? 0) + $1) }
        for index in 0..<original.frameCount {
            let middle = time + original.durations[index] / 2
            let shown = try #require(ends.firstIndex { $0 > middle })
            let difference = try #require(
                PixelDifference(between: try written.frame(at: shown), and: try original.frame(at: index)))
            #expect(difference.maximum == 0, "frame \(index): \(difference)")
            time += original.durations[index]
        }
        #expect(abs(try #require(ends.last) - time) < 0.01)
    }

    // MARK: Pixels

    @Test(arguments: AnimationTests.animations, lossless)
    func everyFrameIsPreserved(_ fixture: FixtureManifest.Fixture, _ format: ImageFormat) throws {
        let original = try animation(fixture.data)
        let written = try encoded(original, format)
        try expect(written, shows: original)
        // libwebp joins equal frames.
        if format != .webp { #expect(written.frameCount == original.frameCount) }
    }

    /// The frames are opaque parts of a transparent canvas. libwebp sets the flag for transparent frames only (RFC
    /// 9649, 2.7), and Pillow shows the canvas black without it.
    @Test func anAnimatedWebPStatesThatItsCanvasIsTransparent() throws {
        let size = PixelSize(width: 16, height: 16)
        let frames = try [4, 8].map { left in
            TimedImage(
                try .drawn(size) { x, y in
                    let isInside = (left..<left + 4).contains(x) && (4..<8).contains(y)
                    return isInside ? Pixel(red: 200, green: 30, blue: 0) : Pixel(red: 0, green: 0, blue: 0, alpha: 0)
                }, duration: 0.1)
        }
        var data = try coders.encode(try AnimatedImage(frames, loopCount: 0), as: .webp, options: EncodeOptions())
        #expect(data[20] & 0x10 != 0)
        #expect(try decode(data).info.hasAlpha)
        // As other writers leave it.
        data[20] &= ~0x10
        let decoded = try decode(data)
        #expect(decoded.info.hasAlpha)
        #expect(decoded.pixels[0, 0].alpha == 0 && decoded.pixels[5, 5].alpha == 255)
    }

    /// cjxl forgets the number of plays and joins frames without a duration, which viewers show for 0.1 s.
    @Test(arguments: [("rects.gif", 3), ("interlaced.gif", 1), ("forever.gif", 0)])
    func aGIFWrittenAsJPEGXLKeepsItsPlaysAndItsFramesWithoutADuration(_ name: String, _ plays: Int) throws {
        let fixture = try FixtureManifest.named(name)
        let (original, written) = (try animation(fixture.data), try encoded(animation(fixture.data), .jxl))
        #expect(written.loopCount == plays && written.frameCount == original.frameCount)
        for (index, stored) in fixture.durations.enumerated() where stored == 0 {
            #expect(abs(written.durations[index] - 0.1) < 0.001)
        }
    }

    /// libaom ended the process at the eleventh frame.
    @Test(arguments: [7, 10]) func aFastAVIFEncoderPreservesEveryFrame(_ speed: Int) throws {
        let original = try makeAnimation(Array(repeating: 0.1, count: 20))
        let data = try AVIFEncoder(speed: speed).encode(original, as: .avif, options: EncodeOptions())
        let written = try animation(data)
        #expect(written.frameCount == 20)
        try expect(written, shows: original)
    }

    @Test(arguments: ["rects.gif", "interlaced.gif", "forever.gif", "rects.webp", "palette-rects.png"])
    func aGIFPreservesFewOpaqueColoursExactly(_ name: String) throws {
        let original = try animation(FixtureManifest.named(name).data)
        let written = try encoded(original, .gif)
        #expect(written.frameCount == original.frameCount)
        for index in 0..<original.frameCount {
            let pixels = try original.frame(at: index)
            let isBinary = (0..<pixels.size.area).allSatisfy {
                [0, 255].contains(pixels[$0 % pixels.size.width, $0 / pixels.size.width].alpha)
            }
            guard isBinary else { continue }
            #expect(PixelDifference(between: try written.frame(at: index), and: pixels)?.maximum == 0, "frame \(index)")
        }
    }

    /// Any order of opaque and transparent pixels is possible, although a GIF can only paint and clear.
    @Test func anyOpaqueAndTransparentPixelsSurviveInAGIF() throws {
        var random = SeededRandom.printed("anyOpaqueAndTransparentPixels")
        for _ in 0..<30 {
            let size = PixelSize(width: .random(in: 1...7, using: &random), height: .random(in: 1...7, using: &random))
            let frames = try (0..<Int.random(in: 2...9, using: &random)).map { _ in
                let isSparse = Bool.random(using: &random)
                return TimedImage(
                    try .drawn(size) { _, _ in
                        let value = UInt8.random(in: 0..<9, using: &random)
                        let isClear = isSparse ? value > 0 : value > 6
                        return isClear
                            ? Pixel(red: 0, green: 0, blue: 0, alpha: 0) : Pixel(red: value * 30, green: 7, blue: 200)
                    }, duration: 0.1)
            }
            let original = try AnimatedImage(frames)
            for encoder in [GIFEncoder(), GIFEncoder(palette: .shared, isDithering: false)] {
                let written = try animation(try encoder.encode(original, as: .gif, options: EncodeOptions()))
                #expect(written.frameCount == original.frameCount)
                try expect(written, shows: original)
            }
        }
    }

    @Test(arguments: lossless) func lossyFramesAreCloseAndSmaller(_ format: ImageFormat) throws {
        guard format != .png else { return }
        let size = PixelSize(width: 64, height: 48)
        let frames = try (0..<4).map { index in
            TimedImage(
                try .drawn(size) { x, y in
                    Pixel(red: UInt8(x * 4), green: UInt8(y * 5), blue: UInt8((x * 7 + y * 3 + index * 40) & 255))
                }, duration: 0.1)
        }
        let original = try AnimatedImage(frames)
        let (fine, coarse) = (
            try coders.encode(original, as: format, options: EncodeOptions(quality: 0.95)),
            try coders.encode(original, as: format, options: EncodeOptions(quality: 0.3))
        )
        #expect(coarse.count < fine.count)
        for (data, most) in [(fine, 8.0), (coarse, 30)] {
            let written = try animation(data)
            for index in 0..<4 {
                let difference = try #require(
                    PixelDifference(between: try written.frame(at: index), and: try original.frame(at: index)))
                #expect(difference.mean < most, "\(difference)")
            }
        }
    }

    @Test func onlyChangesAreStored() throws {
        let size = PixelSize(width: 120, height: 90)
        func pixels(_ dot: Int) throws -> TimedImage {
            TimedImage(
                try .drawn(size) { x, y in
                    let isDot = x == dot && y == 40
                    return Pixel(red: isDot ? 255 : UInt8(x * 2), green: 0, blue: isDot ? 0 : UInt8(y * 2))
                }, duration: 0.1)
        }
        let moving = try AnimatedImage((0..<20).map { try pixels($0) })
        for format in [ImageFormat.gif, .png, .webp] {
            let one = try coders.encode(moving.poster, as: format)
            #expect(try coders.encode(moving, as: format).count < one.count + 20 * 150, "\(format)")
        }
    }

    // MARK: Time

    @Test(arguments: all, [0, 1, 2, 7, 65_535])
    func theLoopCountIsPreserved(_ format: ImageFormat, _ loopCount: Int) throws {
        let written = try encoded(try makeAnimation([0.1, 0.2], loopCount: loopCount), format)
        #expect(written.loopCount == loopCount)
    }

    /// The play count is inserted before the media data, whose offsets move: those of colours, alpha and the still
    /// image.
    @Test func anAVIFSequenceWithAPlayCountHasTheSameFrames() throws {
        let translucent = try [60, 120, 180].map { alpha in
            TimedImage(
                try .drawn(PixelSize(width: 20, height: 14)) { x, y in
                    Pixel(red: UInt8(x), green: UInt8(y), blue: 9, alpha: UInt8(alpha))
                }, duration: 0.1)
        }
        let (endless, finite) = (try AnimatedImage(translucent), try AnimatedImage(translucent, loopCount: 3))
        let (data, repeated) = (try coders.encode(endless, as: .avif), try coders.encode(finite, as: .avif))
        #expect(repeated.count == data.count + 2 * 44)
        let written = try encoded(finite, .avif)
        #expect(written.loopCount == 3 && written.frameCount == 3)
        for index in 0..<3 {
            let frame = try encoded(endless, .avif).frame(at: index)
            #expect(PixelDifference(between: try written.frame(at: index), and: frame)?.maximum == 0)
            #expect(frame[0, 0].alpha == UInt8(60 * (index + 1)))
        }
    }

    /// A frame of 0 ticks is a layer in JPEG XL (ISO/IEC 18181-1, F.1), and cjxl merges such frames and drops the loop
    /// count. Browsers and Pillow show frames without a delay for 100 ms.
    @Test(arguments: lossless) func framesOfAGIFWithoutDelayStayFrames(_ format: ImageFormat) throws {
        var gif = try coders.encode(
            try makeAnimation([0.05, 0.05, 0.05], loopCount: 3), as: .gif, options: EncodeOptions())
        let control = Data([0x21, 0xF9, 4])
        var start = gif.startIndex
        while let found = gif.range(of: control, in: start..<gif.endIndex) {
            gif.replaceSubrange(found.upperBound + 1..<found.upperBound + 3, with: [0, 0])
            start = found.upperBound
        }
        let original = try animation(gif)
        #expect(original.durations == [0.1, 0.1, 0.1] && original.loopCount == 3)
        let written = try encoded(original, format)
        #expect(written.frameCount == 3 && written.loopCount == 3)
        try expect(written, shows: original)
    }

    @Test(arguments: all) func loopCountsAreClampedToTheFormatsMaximum(_ format: ImageFormat) throws {
        let written = try encoded(try makeAnimation([0.1, 0.2], loopCount: .max), format)
        let most: [ImageFormat: Int] = [
            .avif: 0, .gif: 65_536, .heic: 0, .jxl: Int(UInt32.max), .png: Int(Int32.max), .webp: 65_535,
        ]
        #expect(written.loopCount == most[format])
    }

    @Test(arguments: all) func everyDurationIsPreserved(_ format: ImageFormat) throws {
        let durations = [0.02, 0.1, 0.05, 1, 0.02, 12.34, 60, 655.35]
        let written = try encoded(try makeAnimation(durations), format)
        #expect(written.frameCount == durations.count)
        for (stored, expected) in zip(written.durations, durations) { #expect(abs(stored - expected) < 1e-6) }
    }

    @Test func millisecondsArePreservedIfTheFormatStoresThem() throws {
        let durations = [0.011, 0.033, 0.017, 0.041]
        for format in Self.lossless {
            let written = try encoded(try makeAnimation(durations), format)
            for (stored, expected) in zip(written.durations, durations) { #expect(abs(stored - expected) < 1e-6) }
        }
        // GIF stores hundredths of a second; the remainder of one frame is added to the next.
        #expect(
            try encoded(try makeAnimation([0.033, 0.033, 0.033, 0.033]), .gif).durations == [0.03, 0.04, 0.03, 0.03])
        #expect(try encoded(try makeAnimation([0.011, 0.011, 1]), .gif).durations == [0.02, 0.02, 1])
    }

    @Test(arguments: [(0.1, 1, 10), (0.04, 1, 25), (0.25, 1, 4), (65_535, 65_535, 1), (1e9, 65_535, 1)])
    func aFractionInAnAnimatedPNGIsPreserved(_ seconds: Double, _ numerator: Int, _ denominator: Int) throws {
        let data = try coders.encode(try makeAnimation([seconds, 0.1]), as: .png)
        let offset = try #require(data.firstRange(of: Data("fcTL".utf8))).upperBound + 20
        let stored = [UInt8](data[offset..<offset + 4]).map(Int.init)
        #expect(stored[0] << 8 | stored[1] == numerator && stored[2] << 8 | stored[3] == denominator)
    }

    private static let fractions: [Double] = [30, 60, 24_000.0 / 1001, 7, 1000.0 / 333, 1000.0 / 11].map { 1 / $0 }

    @Test(arguments: fractions) func anyFractionInAnAnimatedPNGIsRestored(_ seconds: Double) throws {
        #expect(abs(try encoded(try makeAnimation([seconds, 0.1]), .png).durations[0] - seconds) < 1e-9)
    }

    @Test func anAnimationTooLongForWebPIsAnError() throws {
        expectError(.encodeFailed) {
            try coders.encode(try makeAnimation([2_000_000, 2_000_000]), as: .webp)
        }
    }

    // MARK: Limits

    @Test(arguments: [ImageFormat.jpeg, .tiff, .bmp]) func aFormatWithoutAnimationIsAnError(
        _ format: ImageFormat
    ) throws {
        expectError(.noCoder) { try coders.encode(try makeAnimation([0.1, 0.1]), as: format) }
        #expect(!coders.animatedFormats.contains(format))
    }

    @Test func theFormatsWithAnimationAreListed() {
        #expect(coders.animatedFormats == [.avif, .gif, .heic, .jxl, .png, .webp])
    }

    @Test(arguments: all) func oneFrameIsAStillImage(_ format: ImageFormat) throws {
        let image = try decode(try coders.encode(try makeAnimation([0.5]), as: format))
        #expect(!image.isAnimated && image.info.frameCount == 1)
    }

    @Test(arguments: all) func theSizeIsLimited(_ format: ImageFormat) throws {
        let options = EncodeOptions(maximumSize: PixelSize(width: 4, height: 0))
        let written = try encoded(try makeAnimation([0.1, 0.1, 0.1]), format, options)
        #expect(written.size == PixelSize(width: 4, height: 3) && written.frameCount == 3)
    }

    @Test(arguments: [ImageFormat.gif, .heic, .webp]) func theBytesAreLimited(_ format: ImageFormat) throws {
        var random = SeededRandom.printed("theBytesAreLimited")
        let frames = try (0..<3).map { _ in
            TimedImage(
                try .drawn(PixelSize(width: 40, height: 30)) { _, _ in
                    Pixel(
                        red: .random(in: 0...255, using: &random), green: .random(in: 0...255, using: &random),
                        blue: .random(in: 0...255, using: &random))
                }, duration: 0.1)
        }
        let noise = try AnimatedImage(frames)
        let whole = try coders.encode(noise, as: format).count
        let small = try coders.encode(noise, as: format, options: EncodeOptions(maximumByteCount: whole * 6 / 10))
        #expect(small.count <= whole * 6 / 10)
        #expect(try animation(small).frameCount == 3)
        expectError(.encodeFailed) {
            try coders.encode(noise, as: format, options: EncodeOptions(maximumByteCount: 100))
        }
    }

    @Test func aFrameThatFailsToDecodeIsReported() throws {
        var data = try FixtureManifest.named("rects.png").data
        data[data.endIndex - 18] ^= 0x55
        let damaged = try animation(data)
        for format in Self.all {
            expectError(.undecodable) { try coders.encode(damaged, as: format) }
        }
    }

    @Test(arguments: lossless + [.gif]) func transparentFramesStayTransparent(_ format: ImageFormat) throws {
        let clear = try PixelBuffer.filled(
            Pixel(red: 0, green: 0, blue: 0, alpha: 0), size: PixelSize(width: 5, height: 4))
        let red = try PixelBuffer.filled(Pixel(red: 255, green: 0, blue: 0), size: clear.size)
        let original = try AnimatedImage([clear, red, clear, clear, red].map { TimedImage($0, duration: 0.1) })
        try expect(try encoded(original, format), shows: original)
    }
}
