import Foundation
import Testing
import TintypeTesting

@testable import Tintype
@testable import TintypeCore

/// Images that are written in Display P3, or with a high dynamic range.
@Suite struct EncodedColorsTests {
    private static let coders = ImageCoderRegistry.standard

    private func decode(_ data: Data, _ range: DecodeOptions.DynamicRange = .standard) throws -> Image {
        let context = DecodeContext(options: DecodeOptions(range: range))
        return try Self.coders.decoder(for: data).decodeChecked(data, context: context)
    }

    // MARK: High range

    /// Linear light in multiples of white: dark, bright, and outside of sRGB, but not of BT.2020.
    private static let light: [SIMD3<Float>] = [
        SIMD3(0, 0, 0), SIMD3(0.01, 0.01, 0.01), SIMD3(0.18, 0.18, 0.18), SIMD3(1, 1, 1), SIMD3(2, 1, 0.5),
        SIMD3(4, 4, 4), SIMD3(10, 2, 1), SIMD3(40, 40, 40), SIMD3(1.2, -0.04, -0.01),
    ]

    /// Returns an image of bars of 8 × 8 pixels, premultiplied with an alpha.
    private static func bars(alpha: Float = 1) throws -> Image {
        let size = PixelSize(width: 8 * light.count, height: 8)
        var writer = try HighRangePixels.writer(size)
        for y in 0..<size.height {
            writer.withRows(from: y) { row in
                for x in 0..<size.width {
                    row.storeBytes(
                        of: SIMD4<Float16>(SIMD4(light[x / 8] * alpha, alpha)), toByteOffset: 8 * x,
                        as: SIMD4<Float16>.self)
                }
            }
        }
        let pixels = try PixelBuffer.drawn(size) { _, _ in Pixel(red: 90, green: 80, blue: 70) }
        return Image(
            pixels: pixels, info: ImageInfo(format: .png, size: size), highRange: HighRangePixels(rows: writer.finish())
        )
    }

    private static func highRangeOptions(_ change: (inout EncodeOptions) -> Void = { _ in }) -> EncodeOptions {
        var options = EncodeOptions()
        options.range = .high
        change(&options)
        return options
    }

    private func expectBars(_ image: Image, alpha: Float = 1, within tolerance: Float) throws {
        let highRange = try #require(image.highRange)
        for (index, light) in Self.light.enumerated() {
            let pixel = highRange[8 * index + 4, 4]
            #expect(abs(pixel.w - alpha) < 0.002)
            for channel in 0..<3 {
                let difference = abs(pixel[channel] / pixel.w - light[channel])
                #expect(difference <= max(light.max() * tolerance, 0.001), "\(light): \(pixel)")
            }
        }
    }

    /// Light that is no number, or beyond all numbers, is clipped.
    @Test(arguments: [ImageFormat.avif, .jxl]) func anyLightIsWritten(_ format: ImageFormat) throws {
        let size = PixelSize(width: 4, height: 4)
        var writer = try HighRangePixels.writer(size)
        for y in 0..<size.height {
            writer.withRows(from: y) { row in
                for (x, light) in [Float16.infinity, -.infinity, .nan, .greatestFiniteMagnitude].enumerated() {
                    row.storeBytes(
                        of: SIMD4(light, light, light, y == 0 ? light : 1), toByteOffset: 8 * x, as: SIMD4<Float16>.self
                    )
                }
            }
        }
        let image = Image(
            pixels: try PixelBuffer.drawn(size) { _, _ in Pixel(red: 90, green: 80, blue: 70) },
            info: ImageInfo(format: .png, size: size), highRange: HighRangePixels(rows: writer.finish()))
        for colorSpace in [EncodeOptions.ColorSpace.sRGB, .displayP3] {
            let data = try Self.coders.encode(
                image, as: format, options: Self.highRangeOptions { $0.colorSpace = colorSpace })
            let written = try #require(try decode(data, .high).highRange)
            #expect(written.size == size)
            for y in 1..<4 {
                let lights = (0..<4).map { written[$0, y] }
                // 10,000 candelas are the most that PQ states: 49 times white (ITU-R BT.2408: 203 candelas).
                for light in [lights[0], lights[3]] {
                    #expect(light.x > 40 && light.y > 40 && light.z > 40, "\(light)")
                }
                for light in [lights[1], lights[2]] { #expect(abs(light.x) < 0.01 && abs(light.y) < 0.01, "\(light)") }
                #expect(lights.allSatisfy { $0.max() < 50 && $0.w == 1 }, "\(lights)")
            }
            #expect((0..<4).allSatisfy { (0...1).contains(written[$0, 0].w) })
        }
    }

    /// A step of PQ with 10 bits is up to 2 % of the light; with 16 bits, it is as small as that of a 16-bit float.
    @Test(arguments: [(ImageFormat.avif, 0.02), (.jxl, 0.002), (.heic, 0.06)] as [(ImageFormat, Float)])
    func theHighRangeIsWritten(_ format: ImageFormat, _ tolerance: Float) throws {
        for alpha in [1, 0.5] as [Float] {
            let data = try Self.coders.encode(Self.bars(alpha: alpha), as: format, options: Self.highRangeOptions())
            let image = try decode(data, .high)
            #expect(image.info.hasAlpha == (alpha < 1))
            try expectBars(image, alpha: alpha, within: tolerance)
            #expect(try decode(data).highRange == nil)
        }
    }

    @Test(arguments: [ImageFormat.avif, .jxl]) func theHighRangeIsWrittenWithLoss(_ format: ImageFormat) throws {
        let data = try Self.coders.encode(
            Self.bars(), as: format, options: Self.highRangeOptions { $0.quality = 0.9 })
        // White stays near white although the bars beside it are 40 times brighter.
        let pixel = try #require(try decode(data, .high).highRange)[28, 4]
        for channel in 0..<3 { #expect(abs(pixel[channel] - 1) < 0.2, "\(pixel)") }
    }

    @Test(arguments: [ImageFormat.avif, .jxl]) func theHighRangeIsResizedAndHasMetadata(_ format: ImageFormat) throws {
        let exif = ExifData(Data("MM\0*\0\0\0\u{8}\0\u{1}\u{1}\u{F}\0\u{2}\0\0\0\u{4}Me!\0\0\0\0\0".utf8))
        let image = try Self.bars().with(metadata: ImageMetadata(exif: exif))
        let options = Self.highRangeOptions {
            $0.maximumSize = PixelSize(width: 36, height: 0)
            $0.metadata = [.exif, .icc]
            $0.colorSpace = .displayP3
        }
        let data = try Self.coders.encode(image, as: format, options: options)
        let written = try decode(data, .high)
        #expect(written.size == PixelSize(width: 36, height: 4) && written.highRange?[14, 2].x ?? 0 > 0.5)
        #expect(data.range(of: Data("Me!".utf8)) != nil)
        // A profile would contradict PQ.
        #expect(data.range(of: StandardProfile.data) == nil && data.range(of: StandardProfile.displayP3) == nil)
    }

    /// Without a high range, or in formats and by default, the 8-bit pixels are written.
    @Test func otherImagesAreWrittenWithEightBits() throws {
        let bars = try Self.bars()
        let plain = bars.replacing(pixels: bars.pixels)
        for (image, format, options) in [
            (plain, .avif, Self.highRangeOptions()), (bars, .png, Self.highRangeOptions()),
            (bars, .avif, EncodeOptions()),
        ] as [(Image, ImageFormat, EncodeOptions)] {
            let written = try decode(Self.coders.encode(image, as: format, options: options), .high)
            #expect(written.highRange == nil)
            #expect(PixelDifference(between: written.pixels, and: bars.pixels)?.maximum ?? 255 <= 1)
        }
    }

    // MARK: Display P3

    private static let formats = EncodeOptions.ColorSpace.formats.sorted { $0.rawValue < $1.rawValue }
    private static let displayP3: EncodeOptions = {
        var options = EncodeOptions()
        options.colorSpace = .displayP3
        return options
    }()

    /// Bars of saturated and grey colours.
    private static func colors(alpha: UInt8 = 255) throws -> Image {
        let bars: [(UInt8, UInt8, UInt8)] = [
            (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0), (128, 128, 128), (255, 255, 255), (0, 0, 0),
            (200, 90, 30),
        ]
        let size = PixelSize(width: 16 * bars.count, height: 32)
        let pixels = try PixelBuffer.drawn(size) { x, _ in
            let (red, green, blue) = bars[x / 16]
            let parts = [red, green, blue].map { UInt8((Int($0) * Int(alpha) + 127) / 255) }
            return Pixel(red: parts[0], green: parts[1], blue: parts[2], alpha: alpha)
        }
        return Image(pixels: pixels, info: ImageInfo(format: .png, size: size))
    }

    /// The numbers in the file differ, and mean the same colours.
    @Test(arguments: formats) func displayP3MeansTheSameColors(_ format: ImageFormat) throws {
        let image = try Self.colors()
        let data = try Self.coders.encode(image, as: format, options: Self.displayP3)
        #expect(try data != Self.coders.encode(image, as: format))
        // JPEG XL names the colour space without a profile.
        #expect(format == .jxl || data.range(of: StandardProfile.displayP3) != nil)
        let written = try decode(data)
        let tolerance = format == .heic ? 16 : format == .jpeg ? 6 : 3
        for bar in 0..<8 {
            let (expected, actual) = (image.pixels[16 * bar + 8, 16], written.pixels[16 * bar + 8, 16])
            for (first, second) in [
                (expected.red, actual.red), (expected.green, actual.green), (expected.blue, actual.blue),
            ] {
                #expect(abs(Int(first) - Int(second)) <= tolerance, "\(format) \(expected) \(actual)")
            }
        }
    }

    @Test func transparentPixelsAreConvertedToo() throws {
        let image = try Self.colors(alpha: 128)
        let written = try decode(Self.coders.encode(image, as: .png, options: Self.displayP3))
        // Dividing by alpha loses a bit, which counts for more near black.
        #expect(PixelDifference(between: image.pixels, and: written.pixels)?.maximum ?? 255 <= 12)
    }

    @Test func animationsAreWrittenInDisplayP3() throws {
        let animated = try decode(FixtureManifest.named("rects.gif").data)
        for format in [ImageFormat.png, .webp, .jxl, .avif] {
            let data = try Self.coders.encode(animated, as: format, options: Self.displayP3)
            let written = try decode(data)
            #expect(written.animation?.frameCount == animated.animation?.frameCount)
            #expect(format == .jxl || data.range(of: StandardProfile.displayP3) != nil)
            #expect(PixelDifference(between: animated.pixels, and: written.pixels)?.maximum ?? 255 <= 8, "\(format)")
        }
    }

    @Test func formatsWithoutProfilesStayInSRGB() throws {
        let image = try Self.colors()
        for format in [ImageFormat.bmp, .gif] {
            #expect(
                try Self.coders.encode(image, as: format, options: Self.displayP3)
                    == Self.coders.encode(image, as: format))
        }
    }

    /// Returns a PNG without its profile, so that it decodes to the numbers in the file.
    private static func withoutProfile(_ data: Data) throws -> Data {
        let name = try #require(data.range(of: Data("iCCP".utf8))).lowerBound
        let length = data[name - 4..<name].reduce(0) { $0 << 8 | Int($1) }
        return data[..<(name - 4)] + data[(name + 8 + length)...]
    }

    /// The 8-bit pixels are limited to sRGB, but the high range is not.
    @Test func colorsOutsideOfSRGBAreKeptByTheHighRange() throws {
        let source = try FixtureManifest.named("p3-16.png").data
        let expected = try decode(Self.withoutProfile(source))
        func difference(_ range: DecodeOptions.DynamicRange) throws -> Int {
            let data = try Self.coders.encode(decode(source, range), as: .png, options: Self.displayP3)
            let stored = try decode(Self.withoutProfile(data))
            return PixelDifference(between: stored.pixels, and: expected.pixels)?.maximum ?? 255
        }
        // Rounded matrices count for most in the dark channels of bright colours.
        #expect(try difference(.high) <= 12 && difference(.standard) > 60)
    }

    /// Pixels brighter than white have other tones with 8 bits.
    @Test func aBrightImageIsWrittenFromItsEightBits() throws {
        let bars = try Self.bars()
        let plain = bars.replacing(pixels: bars.pixels)
        #expect(
            try Self.coders.encode(bars, as: .png, options: Self.displayP3)
                == Self.coders.encode(plain, as: .png, options: Self.displayP3))
    }
}
