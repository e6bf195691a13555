import Foundation
import Testing
import Tintype
import TintypeTesting

/// Images with more than 8 bits per channel.
@Suite struct BitDepthTests {
    private static let coders = ImageCoderRegistry.standard

    private func decode(_ data: Data) throws -> Image {
        let context = DecodeContext(options: DecodeOptions(range: .high))
        return try Self.coders.decoder(for: data).decode(data, context: context)
    }

    /// Compares light, and so every bit that 16-bit floats have.
    private func expectEqualLight(_ left: Image, _ right: Image, tolerance: Float = 0.002) throws {
        let (left, right) = (try #require(left.highRange), try #require(right.highRange))
        try #require(left.size == right.size)
        for y in 0..<left.size.height {
            for x in 0..<left.size.width {
                let (first, second) = (left[x, y].clamped(lowerBound: .zero, upperBound: .one), right[x, y])
                let difference = first - second
                let most = max(abs(difference.min()), abs(difference.max()))
                #expect(most <= tolerance * max(first.max(), 0.02), "\(x) \(y): \(first) \(second)")
            }
        }
    }

    // MARK: Written with 16 bits

    /// The colour type of PNG, and the photometric interpretation and samples of TIFF, for each source.
    @Test(
        arguments: [
            ("grey-16.png", 0, 1, 1), ("grey-alpha-16.png", 4, 1, 2), ("rgb-16.png", 2, 2, 3), ("rgba-16.png", 6, 2, 4),
            ("grey-16.tiff", 0, 1, 1), ("rgb-16.tiff", 2, 2, 3),
        ] as [(String, Int, Int, Int)])
    func aSourceOf16BitsKeepsThem(_ name: String, _ colorType: Int, _ photometric: Int, _ samples: Int) throws {
        let image = try decode(FixtureManifest.named(name).data)
        #expect(image.info.bitDepth == 16)
        let png = try Self.coders.encode(image, as: .png)
        #expect(PNGHeaderFields(png).bitDepth == 16 && PNGHeaderFields(png).colorType == colorType)
        let tiff = try Self.coders.encode(image, as: .tiff)
        let tags = TIFFTags(tiff)
        #expect(tags.bits == 16 && tags.photometric == photometric && tags.samples == samples)
        let jxl = try Self.coders.encode(image, as: .jxl)
        for data in [png, tiff, jxl] {
            let written = try decode(data)
            #expect(written.info.bitDepth == 16)
            try expectEqualLight(image, written)
            // The 8-bit pixels are those of the source.
            #expect(PixelDifference(between: written.pixels, and: image.pixels)?.maximum ?? 255 <= 1)
        }
    }

    /// IEC 61966-2-1 for every 16-bit grey, within half a step of a 16-bit float; and the same once more.
    @Test func everyGreyOf16BitsIsDecodedAndWrittenExactly() throws {
        let size = PixelSize(width: 256, height: 256)
        let ramp = (0..<65536).flatMap { code in [UInt16](repeating: UInt16(code), count: 3) + [.max] }
        let samples = try #require(DeepSamples(size: size, samples: ramp))
        let source = try PNGEncoder().encode(samples, as: .png, options: EncodeOptions())
        let light = try #require(try decode(source).highRange)
        // Decoded, written and decoded again, the light is that of the same 16-bit floats.
        let again = try #require(try decode(Self.coders.encode(decode(source), as: .png)).highRange)
        for code in 0..<65536 {
            let (first, second) = (light[code % 256, code / 256], again[code % 256, code / 256])
            let step = 1 / Float(65535) * 8
            let expected = Float(Self.light(of: Double(code) / 65535))
            if abs(first.x - expected) > max(expected / 2048, 4e-8) || first.x != first.y
                || abs(second.x - first.x) > step
            {
                Issue.record("\(code): \(first) \(second)")
            }
        }
    }

    /// IEC 61966-2-1.
    private static func light(of channel: Double) -> Double {
        channel <= 0.04045 ? channel / 12.92 : pow((channel + 0.055) / 1.055, 2.4)
    }

    /// A step of 10 bits is 64 of 65,535.
    @Test(arguments: ["rgb-16.png", "rgba-16.png", "grey-16.png"]) func anAVIFHas10Bits(_ name: String) throws {
        let image = try decode(FixtureManifest.named(name).data)
        let data = try Self.coders.encode(image, as: .avif)
        // high_bitdepth without twelve_bit (AV1 Codec ISO Media File Format Binding, 2.3.3).
        let configuration = try #require(data.bytes(after: "av1C", count: 4))
        #expect(configuration[2] & 0x60 == 0x40)
        #expect(data.av1Sampling == (name == "grey-16.png" ? "400" : "444"))
        let written = try decode(data)
        #expect(written.info.bitDepth == 10 && !written.info.isHighRange)
        try expectEqualLight(image, written, tolerance: 0.03)
        #expect(PixelDifference(between: written.pixels, and: image.pixels)?.maximum ?? 255 <= 1)
    }

    @Test(arguments: [ImageFormat.avif, .png, .tiff, .jxl]) func eightBitsAreWrittenOnRequest(_ format: ImageFormat)
        throws
    {
        let image = try decode(FixtureManifest.named("rgb-16.png").data)
        var options = EncodeOptions()
        options.depth = .eight
        let data = try Self.coders.encode(image, as: format, options: options)
        let written = try decode(data)
        #expect(written.info.bitDepth == 8 && written.highRange == nil)
        #expect(PixelDifference(between: written.pixels, and: image.pixels)?.maximum == 0)
    }

    @Test func aPaletteHas8Bits() throws {
        let image = try decode(FixtureManifest.named("rgb-16.png").data)
        var options = EncodeOptions()
        options.colorMode = .palette(maxColors: 20)
        let header = PNGHeaderFields(try Self.coders.encode(image, as: .png, options: options))
        #expect(header.colorType == 3 && header.bitDepth == 8)
    }

    @Test(arguments: [ImageFormat.png, .tiff, .jxl]) func trueColorAndProfilesKeep16BitGreyInColors(
        _ format: ImageFormat
    ) throws {
        let image = try decode(FixtureManifest.named("grey-16.png").data)
        for change in [
            { $0.colorMode = .trueColor }, { $0.metadata = [.icc] }, { $0.colorSpace = .displayP3 },
        ] as [(inout EncodeOptions) -> Void] {
            var options = EncodeOptions()
            change(&options)
            let data = try Self.coders.encode(image, as: format, options: options)
            switch format {
            case .png: #expect(PNGHeaderFields(data).colorType == 2 && PNGHeaderFields(data).bitDepth == 16)
            case .tiff: #expect(TIFFTags(data).photometric == 2 && TIFFTags(data).bits == 16)
            default: break
            }
            try expectEqualLight(image, decode(data), tolerance: 0.02)
        }
    }

    /// Colours of Display P3 outside of sRGB are kept by 16 bits of Display P3.
    @Test(arguments: [ImageFormat.png, .tiff, .jxl]) func wideColorsAreWrittenWith16Bits(_ format: ImageFormat) throws {
        let image = try decode(FixtureManifest.named("p3-16.png").data)
        var options = EncodeOptions()
        options.colorSpace = .displayP3
        let data = try Self.coders.encode(image, as: format, options: options)
        let written = try decode(data)
        #expect(written.info.bitDepth == 16)
        let (first, second) = (try #require(image.highRange), try #require(written.highRange))
        let outside = (0..<first.size.width).filter { first[$0, 0].min() < -0.01 }
        for x in 0..<first.size.width {
            #expect(abs((first[x, 0] - second[x, 0]).min()) < 0.02 && abs((first[x, 0] - second[x, 0]).max()) < 0.02)
        }
        #expect(!outside.isEmpty)
    }

    /// Pixels brighter than white have other tones with 8 bits.
    @Test func anImageBrighterThanWhiteIsWrittenWith8Bits() throws {
        let image = try decode(FixtureManifest.named("pq.png").data)
        let data = try Self.coders.encode(image, as: .png)
        #expect(PNGHeaderFields(data).bitDepth == 8)
        #expect(PixelDifference(between: try decode(data).pixels, and: image.pixels)?.maximum == 0)
    }

    @Test func a16BitImageIsResized() throws {
        let image = try decode(FixtureManifest.named("rgb-16.png").data)
        let options = EncodeOptions(maximumSize: PixelSize(width: 8, height: 0))
        let data = try Self.coders.encode(image, as: .png, options: options)
        #expect(try decode(data).size.width == 8 && PNGHeaderFields(data).bitDepth == 16)
    }

    // MARK: Stated

    /// As `exiftool`, `avifdec --info`, `heif-info` and `jxlinfo` state.
    @Test(
        arguments: [
            ("grey-16.png", 16, false), ("rgb-16.tiff", 16, false), ("pq.png", 16, true), ("hlg.png", 16, true),
            ("pq-10.avif", 10, true), ("pq-12.avif", 12, true), ("pq.heic", 10, true), ("pq.jxl", 16, true),
            ("lossy.jxl", 8, false), ("lossy.heic", 8, false), ("lossy-420.avif", 8, false), ("grey-1.png", 8, false),
            ("baseline-420.jpg", 8, false), ("p3-16.png", 16, false), ("float.tiff", 32, false),
        ]) func theBitsAndTheRangeOfASourceAreStated(_ name: String, _ bits: Int, _ isHighRange: Bool) throws
    {
        let info = try decode(FixtureManifest.named(name).data).info
        #expect(info.bitDepth == bits && info.isHighRange == isHighRange, "\(info.bitDepth) \(info.isHighRange)")
    }
}
