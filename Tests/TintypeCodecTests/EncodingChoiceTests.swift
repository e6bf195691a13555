import Foundation
import Testing
import Tintype
import TintypeTesting

/// The choices for lossy formats, read from the headers of the files.
@Suite struct EncodingChoiceTests {
    private static let coders = ImageCoderRegistry.standard

    private func decode(_ data: Data) throws -> Image {
        try Self.coders.decoder(for: data).decode(data, context: DecodeContext())
    }

    private func encode(
        _ pixels: PixelBuffer, _ format: ImageFormat, quality: Double = 0.8,
        _ change: (inout EncodeOptions) -> Void = { _ in }
    ) throws -> Data {
        var options = EncodeOptions(quality: quality)
        change(&options)
        return try Self.coders.encode(pixels, as: format, options: options)
    }

    private static func photo(alpha: Bool = false) throws -> PixelBuffer {
        try .drawn(PixelSize(width: 64, height: 48)) { x, y in
            let opacity = alpha ? min(255, x * 8) : 255
            func channel(_ value: Int) -> UInt8 { UInt8((value & 255) * opacity / 255) }
            return Pixel(
                red: channel(x * 4), green: channel(y * 5), blue: channel(x * 7 + y * 3), alpha: UInt8(opacity))
        }
    }

    /// Stripes of one pixel, whose colour differences are lost by subsampling.
    private static func stripes() throws -> PixelBuffer {
        try .drawn(PixelSize(width: 64, height: 48)) { x, _ in
            x % 2 == 0 ? Pixel(red: 220, green: 30, blue: 30) : Pixel(red: 30, green: 90, blue: 220)
        }
    }

    private func error(_ data: Data, _ pixels: PixelBuffer) throws -> Double {
        try #require(PixelDifference(between: try decode(data).pixels, and: pixels)).mean
    }

    // MARK: JPEG

    @Test(
        arguments: [
            (.automatic, 0.8, "2x2"), (.automatic, 0.9, "1x1"), (.yuv420, 0.95, "2x2"), (.yuv422, 0.5, "2x1"),
            (.yuv444, 0.5, "1x1"), (.sharp420, 0.95, "2x2"),
        ] as [(EncodeOptions.Chroma, Double, String)])
    func aJPEGHasTheSamplingAskedFor(_ chroma: EncodeOptions.Chroma, _ quality: Double, _ factors: String) throws {
        let pixels = try Self.photo()
        let data = try encode(pixels, .jpeg, quality: quality) { $0.chroma = chroma }
        #expect(JPEGFrameFields(data)?.sampling == [factors, "1x1", "1x1"])
        #expect(try error(data, pixels) < 12)
    }

    @Test func aProgressiveJPEGHasTheSamePixels() throws {
        let pixels = try Self.photo()
        let baseline = try encode(pixels, .jpeg)
        let progressive = try encode(pixels, .jpeg) { $0.isProgressive = true }
        #expect(JPEGFrameFields(baseline)?.isProgressive == false)
        #expect(JPEGFrameFields(progressive)?.isProgressive == true)
        // Both hold the same coefficients.
        #expect(
            PixelDifference(between: try decode(baseline).pixels, and: try decode(progressive).pixels)?.maximum == 0)
        #expect(progressive.contains(Data([0xFF, 0xC2])))
    }

    @Test func aGreyJPEGHasOneComponent() throws {
        let grey = try PixelBuffer.drawn(PixelSize(width: 64, height: 48)) { x, y in
            let level = UInt8(x * 3 + y)
            return Pixel(red: level, green: level, blue: level)
        }
        for isProgressive in [false, true] {
            let data = try encode(grey, .jpeg, quality: 1) { $0.isProgressive = isProgressive }
            #expect(JPEGFrameFields(data)?.sampling == ["1x1"])
            #expect(try error(data, grey) < 1)
        }
        #expect(JPEGFrameFields(try encode(grey, .jpeg) { $0.colorMode = .trueColor })?.sampling.count == 3)
        // A profile for RGB does not fit grey.
        #expect(JPEGFrameFields(try encode(grey, .jpeg) { $0.metadata = [.icc] })?.sampling.count == 3)
        #expect(JPEGFrameFields(try encode(grey, .jpeg) { $0.colorSpace = .displayP3 })?.sampling.count == 3)
    }

    // MARK: Other chroma

    @Test(
        arguments: [
            (.automatic, 0.8, "420"), (.automatic, 0.9, "444"), (.yuv420, 0.95, "420"), (.yuv422, 0.5, "422"),
            (.yuv444, 0.5, "444"), (.sharp420, 0.95, "420"), (.yuv420, 1, "444"),
        ] as [(EncodeOptions.Chroma, Double, String)])
    func anAVIFHasTheSamplingAskedFor(_ chroma: EncodeOptions.Chroma, _ quality: Double, _ sampling: String) throws {
        let data = try encode(Self.photo(), .avif, quality: quality) { $0.chroma = chroma }
        #expect(data.av1Sampling == sampling)
        #expect(try error(data, Self.photo()) < 14)
    }

    @Test(arguments: [0.5, 1], [false, true]) func aGreyAVIFHasNoChroma(_ quality: Double, _ hasAlpha: Bool) throws {
        let grey = try PixelBuffer.drawn(PixelSize(width: 63, height: 47)) { x, y in
            let alpha = hasAlpha ? x * 4 : 255
            let level = UInt8((x * 3 + y) * alpha / 255)
            return Pixel(red: level, green: level, blue: level, alpha: UInt8(alpha))
        }
        let data = try encode(grey, .avif, quality: quality)
        #expect(data.av1Sampling == "400")
        let image = try decode(data)
        let difference = try #require(PixelDifference(between: image.pixels, and: grey))
        #expect(image.info.hasAlpha == hasAlpha && (quality == 1 ? difference.maximum == 0 : difference.mean < 6))
        for change in [
            { $0.colorMode = .trueColor }, { $0.metadata = [.icc] }, { $0.colorSpace = .displayP3 },
        ] as [(inout EncodeOptions) -> Void] {
            #expect(try encode(grey, .avif, quality: quality, change).av1Sampling == (quality == 1 ? "444" : "420"))
        }
    }

    @Test(
        arguments: [(.automatic, 1), (.yuv420, 1), (.yuv422, 2), (.yuv444, 3), (.sharp420, 1)]
            as [(EncodeOptions.Chroma, Int)])
    func aHEICHasTheSamplingAskedFor(_ chroma: EncodeOptions.Chroma, _ sampling: Int) throws {
        for isOpaque in [true, false] {
            let pixels = try Self.photo(alpha: !isOpaque)
            let data = try encode(pixels, .heic, quality: 0.9) { $0.chroma = chroma }
            #expect(data.hevcSampling == sampling)
            #expect(try error(data, pixels) < 12)
        }
    }

    /// FFmpeg decodes smaller 4:2:2 images of sequences, too; libde265 1.0.11 refuses those that are cropped to a
    /// third.
    @Test func aHEICSequenceHasTheSamplingAskedFor() throws {
        let frames = try (0..<3).map { index in
            TimedImage(
                try .drawn(PixelSize(width: 67, height: 61)) { x, y in
                    Pixel(red: UInt8(x * 3), green: UInt8(y * 4), blue: UInt8(index * 60))
                }, duration: 0.1)
        }
        let original = try AnimatedImage(frames)
        for (chroma, sampling) in [(.yuv422, 2), (.yuv444, 3)] as [(EncodeOptions.Chroma, Int)] {
            var options = EncodeOptions(quality: 0.9)
            options.chroma = chroma
            let data = try Self.coders.encode(original, as: .heic, options: options)
            #expect(data.hevcSampling == sampling)
            let written = try #require(try decode(data).animation)
            for index in 0..<3 {
                let difference = PixelDifference(
                    between: try written.frame(at: index), and: try original.frame(at: index))
                #expect(try #require(difference).mean < 8)
            }
        }
    }

    /// Full colour differences keep stripes that half of them lose.
    @Test(arguments: [ImageFormat.avif, .heic, .jpeg]) func fullChromaKeepsColoredStripes(_ format: ImageFormat) throws
    {
        let stripes = try Self.stripes()
        let full = try error(try encode(stripes, format, quality: 0.85) { $0.chroma = .yuv444 }, stripes)
        let half = try error(try encode(stripes, format, quality: 0.85) { $0.chroma = .yuv420 }, stripes)
        #expect(full < half / 2, "\(full) \(half)")
    }

    /// The mean difference of linear luminance, which the eye sees in thin lines, in thousandths.
    private func luminanceError(_ left: PixelBuffer, _ right: PixelBuffer) -> Double {
        func luminance(_ pixel: Pixel) -> Double {
            let light = [pixel.red, pixel.green, pixel.blue].map { pow(Double($0) / 255, 2.2) }
            return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2]
        }
        var sum = 0.0
        for y in 0..<left.size.height {
            for x in 0..<left.size.width { sum += abs(luminance(left[x, y]) - luminance(right[x, y])) }
        }
        return sum / Double(left.size.area) * 1000
    }

    /// `cwebp -sharp_yuv` more than halves the difference of this pattern.
    @Test(arguments: [EncodeOptions.Chroma.sharp420, .yuv422, .yuv444], [false, true]) func aSharpWebPKeepsThinLines(
        _ chroma: EncodeOptions.Chroma, _ isAnimated: Bool
    ) throws {
        let lines = try PixelBuffer.drawn(PixelSize(width: 64, height: 48)) { x, y in
            Pixel(red: (x + y) % 5 == 0 ? 255 : 0, green: 0, blue: 0)
        }
        func written(_ chroma: EncodeOptions.Chroma) throws -> PixelBuffer {
            guard isAnimated else { return try decode(try encode(lines, .webp) { $0.chroma = chroma }).pixels }
            let other = try PixelBuffer.filled(Pixel(red: 9, green: 9, blue: 9), size: lines.size)
            var options = EncodeOptions(quality: 0.8)
            options.chroma = chroma
            let animation = try AnimatedImage([lines, other].map { TimedImage($0, duration: 0.1) })
            let data = try Self.coders.encode(animation, as: .webp, options: options)
            return try #require(try decode(data).animation).frame(at: 0)
        }
        let (plain, sharp) = (luminanceError(try written(.yuv420), lines), luminanceError(try written(chroma), lines))
        #expect(sharp < plain * 0.6, "\(sharp) \(plain)")
    }

    // MARK: Compression

    @Test(arguments: [ImageFormat.avif, .jxl, .webp], [false, true]) func losslessIsExactAtAnyQuality(
        _ format: ImageFormat, _ hasAlpha: Bool
    ) throws {
        let pixels = try Self.photo(alpha: hasAlpha)
        let data = try encode(pixels, format, quality: 0.3) { options in
            options.compression = .lossless
            options.chroma = .yuv420
        }
        #expect(PixelDifference(between: try decode(data).pixels, and: pixels)?.maximum == 0)
        if format == .webp { #expect(data.range(of: Data("VP8L".utf8)) != nil) }
        let animation = try AnimatedImage([
            TimedImage(pixels, duration: 0.1), TimedImage(try Self.stripes(), duration: 0.1),
        ])
        var options = EncodeOptions(quality: 0.3)
        options.compression = .lossless
        let written = try #require(
            try decode(Self.coders.encode(animation, as: format, options: options)).animation)
        for index in 0..<2 {
            let difference = PixelDifference(between: try written.frame(at: index), and: try animation.frame(at: index))
            #expect(difference?.maximum == 0)
        }
    }

    @Test(arguments: [ImageFormat.avif, .jxl, .webp]) func lossyIsSmallerAtTheBestQuality(_ format: ImageFormat) throws
    {
        var random = SeededRandom(seed: 7)
        let noise = try PixelBuffer.drawn(PixelSize(width: 64, height: 64)) { _, _ in
            Pixel(
                red: .random(in: 0...255, using: &random), green: .random(in: 0...255, using: &random),
                blue: .random(in: 0...255, using: &random))
        }
        let lossless = try encode(noise, format, quality: 1)
        let lossy = try encode(noise, format, quality: 1) { $0.compression = .lossy }
        #expect(PixelDifference(between: try decode(lossless).pixels, and: noise)?.maximum == 0)
        let difference = try #require(PixelDifference(between: try decode(lossy).pixels, and: noise))
        #expect(difference.maximum > 0 && difference.mean < 40, "\(difference)")
        if format == .webp { #expect(lossy.range(of: Data("VP8 ".utf8)) != nil) }
        if format == .jxl { #expect(lossy.count < lossless.count) }
    }

    // MARK: Effort

    /// More effort makes a smaller file of noise over a gradient, or at least another one.
    @Test(arguments: [ImageFormat.avif, .heic, .jxl, .tiff, .webp], [0.7, 1]) func effortChangesTheFile(
        _ format: ImageFormat, _ quality: Double
    ) throws {
        var random = SeededRandom(seed: 3)
        let pixels = try PixelBuffer.drawn(PixelSize(width: 96, height: 96)) { x, y in
            let noise = UInt8.random(in: 0..<16, using: &random)
            return Pixel(red: UInt8(x * 2) + noise, green: UInt8(y * 2) + noise, blue: UInt8(x + y) + noise)
        }
        let fast = try encode(pixels, format, quality: quality) { $0.effort = 0 }
        let slow = try encode(pixels, format, quality: quality) { $0.effort = 1 }
        #expect(fast != slow)
        if format != .heic && format != .avif { #expect(slow.count < fast.count) }
        for data in [fast, slow] { #expect(try error(data, pixels) < 8) }
    }

    @Test func effortIsClamped() throws {
        let pixels = try Self.photo()
        for format in [ImageFormat.avif, .jxl, .png, .tiff, .webp] {
            #expect(try encode(pixels, format) { $0.effort = 9 } == encode(pixels, format) { $0.effort = 1 })
            #expect(try encode(pixels, format) { $0.effort = .nan } == encode(pixels, format) { $0.effort = 0 })
        }
    }

    // MARK: GIF

    @Test func aGIFHasAtMostTheColorsAskedFor() throws {
        let pixels = try Self.photo()
        let data = try encode(pixels, .gif, quality: 1) { $0.colorMode = .palette(maxColors: 12) }
        let written = try decode(data).pixels
        var colors: Set<Color> = []
        for y in 0..<48 { for x in 0..<64 { colors.insert(Color(written[x, y])) } }
        #expect(colors.count <= 12 && colors.count > 6)
        #expect(try error(data, pixels) < 30)
    }
}
