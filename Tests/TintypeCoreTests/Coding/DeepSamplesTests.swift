import Foundation
import Testing
import TintypeTesting

@testable import TintypeCore

/// The 16-bit samples of linear light.
@Suite struct DeepSamplesTests {
    private static func light(_ pixels: [SIMD4<Float>]) throws -> HighRangePixels {
        let size = PixelSize(width: pixels.count, height: 1)
        var writer = try HighRangePixels.writer(size)
        writer.withRows(from: 0) { row in
            for (x, pixel) in pixels.enumerated() {
                row.storeBytes(of: SIMD4<Float16>(pixel), toByteOffset: 8 * x, as: SIMD4<Float16>.self)
            }
        }
        return HighRangePixels(rows: writer.finish())
    }

    /// The light of a code by IEC 61966-2-1, in double precision.
    private static func light(of code: Int) -> Double {
        let value = Double(code) / 65535
        return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    /// The bound that the documentation of ``EncodeOptions/Depth`` states.
    @Test func everyCodeComesBackWithin11() throws {
        let codes = Array(0...65535)
        for start in stride(from: 0, to: codes.count, by: 4096) {
            let part = codes[start..<start + 4096]
            let pixels = part.map { code in SIMD4<Float>(SIMD3(repeating: Float(Self.light(of: code))), 1) }
            let samples = try #require(try DeepSamples(Self.light(pixels), .sRGB))
            #expect(samples.isOpaque && samples.isGrey)
            for (index, code) in part.enumerated() where abs(Int(samples.samples[4 * index]) - code) > 11 {
                Issue.record("\(code) became \(samples.samples[4 * index])")
            }
        }
    }

    @Test func samplesAreStraight() throws {
        let samples = try #require(
            try DeepSamples(
                Self.light([SIMD4(0.5, 0.25, 0, 0.5), SIMD4(0, 0, 0, 0), SIMD4(0.25, 0.25, 0.25, 0.25)]), .sRGB))
        #expect(!samples.isOpaque && !samples.isGrey)
        // 1 and 0.5 of light over an opacity of a half.
        #expect(abs(Int(samples.samples[0]) - 65535) <= 11)
        #expect(abs(Int(samples.samples[1]) - Int((1.055 * pow(0.5, 1 / 2.4) - 0.055) * 65535)) <= 16)
        #expect(samples.samples[2] == 0 && samples.samples[3] == 32768)
        #expect(Array(samples.samples[4..<8]) == [0, 0, 0, 0])
        #expect(samples.samples[11] == 16384)
    }

    /// The columns of the matrix from sRGB to Display P3 (SMPTE EG 432-1): red has a little green and blue.
    @Test func colorsAreConvertedToDisplayP3() throws {
        let samples = try #require(try DeepSamples(Self.light([SIMD4(1, 0, 0, 1), SIMD4(1, 1, 1, 1)]), .displayP3))
        let expected = [0.822462, 0.033194, 0.017083].map { Int((1.055 * pow($0, 1 / 2.4) - 0.055) * 65535) }
        for channel in 0..<3 { #expect(abs(Int(samples.samples[channel]) - expected[channel]) <= 16) }
        for channel in 4..<8 { #expect(samples.samples[channel] >= 65527) }
    }

    @Test(arguments: [EncodeOptions.ColorSpace.sRGB, .displayP3]) func lightAboveWhiteHasNoSamples(
        _ space: EncodeOptions.ColorSpace
    ) throws {
        for bright in [SIMD4<Float>(1.1, 1.1, 1.1, 1), SIMD4(0.9, 0.9, 0.9, 0.5), SIMD4(.infinity, 0, 0, 1)] {
            #expect(try DeepSamples(Self.light([SIMD4(0, 0, 0, 1), bright]), space) == nil)
        }
        // Rounding may exceed white.
        #expect(try DeepSamples(Self.light([SIMD4(1.001, 1, 1, 1)]), space) != nil)
    }

    @Test func lightThatIsNoNumberIsBlack() throws {
        let pixels: [SIMD4<Float>] = [SIMD4(.nan, -1, 0.5, 1), SIMD4(0.5, 0.5, 0.5, .nan), SIMD4(-.infinity, 0, 0, 1)]
        if let samples = try DeepSamples(Self.light(pixels), .sRGB) {
            #expect(samples.samples[1] == 0 && samples.samples[7] == 0 && samples.samples[8] == 0)
        }
    }

    @Test func samplesNeedFourForEachPixel() {
        let size = PixelSize(width: 2, height: 1)
        #expect(DeepSamples(size: size, samples: [1, 2, 3]) == nil)
        let grey = DeepSamples(size: size, samples: [9, 9, 9, 65535, 0, 0, 0, 65535])
        #expect(grey?.isGrey == true && grey?.isOpaque == true)
        let color = DeepSamples(size: size, samples: [900, 9, 9, 65535, 0, 0, 0, 65534])
        #expect(color?.isGrey == false && color?.isOpaque == false)
        #expect(DeepSamples(size: PixelSize(width: 0, height: 0), samples: []) == nil)
    }

    // MARK: The registry

    private struct Recorder: DeepImageEncoder {
        let formats: Set<ImageFormat> = [.png, .webp]

        func encode(
            _ pixels: PixelBuffer, as format: ImageFormat, options: EncodeOptions
        ) throws(TintypeError) -> Data { Data("8".utf8) }

        func encode(
            _ samples: DeepSamples, as format: ImageFormat, options: EncodeOptions
        ) throws(TintypeError) -> Data { Data("16 \(samples.size)".utf8) }
    }

    @Test func onlyFormatsWith16BitsAskForSamples() throws {
        let coders = ImageCoderRegistry(decoders: [], encoders: [Recorder()])
        let light = try Self.light([SIMD4(0, 0, 0, 1), SIMD4(1, 1, 1, 1)])
        let pixels = try PixelBuffer.filled(Pixel(red: 1, green: 2, blue: 3), size: light.size)
        let info = ImageInfo(format: .png, size: light.size)
        let (deep, plain) = (Image(pixels: pixels, info: info, highRange: light), Image(pixels: pixels, info: info))
        var (eight, palette, small) = (EncodeOptions(), EncodeOptions(), EncodeOptions())
        eight.depth = .eight
        palette.colorMode = .palette(maxColors: 9)
        small.maximumSize = PixelSize(width: 1, height: 1)
        for (image, format, options, result) in [
            (deep, .png, EncodeOptions(), "16 2x1"), (deep, .png, small, "16 1x1"), (deep, .webp, EncodeOptions(), "8"),
            (deep, .png, eight, "8"), (deep, .png, palette, "8"), (plain, .png, EncodeOptions(), "8"),
        ] as [(Image, ImageFormat, EncodeOptions, String)] {
            #expect(String(decoding: try coders.encode(image, as: format, options: options), as: UTF8.self) == result)
        }
    }
}
