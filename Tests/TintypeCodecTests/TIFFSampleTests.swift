import Foundation
import Testing
import Tintype
import TintypeTIFF
import TintypeTesting

/// The meaning of samples of a TIFF, as Pillow, ImageMagick, libvips and ffmpeg read them.
@Suite struct TIFFSampleTests {
    private static let color = [0.5, 0.25, 1, 0.5]

    private func pixel(_ file: PlainTIFF, _ color: [Double] = Self.color) throws -> Pixel {
        try TIFFDecoder().decode(file.bytes { color[$1] }, context: DecodeContext()).pixels[1, 1]
    }

    private func isNear(_ pixel: Pixel, _ expected: Pixel, _ most: Int) -> Bool {
        zip(
            [pixel.red, pixel.green, pixel.blue, pixel.alpha],
            [expected.red, expected.green, expected.blue, expected.alpha]
        )
        .allSatisfy { abs(Int($0) - Int($1)) <= most }
    }

    @Test(arguments: [8, 16]) func aFourthSampleOfWhichNothingIsSaidIsStraightAlpha(_ bits: Int) throws {
        let pixel = try pixel(PlainTIFF(samplesPerPixel: 4, bits: bits))
        #expect(isNear(pixel, Pixel(red: 64, green: 32, blue: 128, alpha: 128), 1), "\(pixel)")
    }

    /// TIFF 6.0, page 31.
    @Test(arguments: [8, 16]) func anUnspecifiedSampleIsNotAlpha(_ bits: Int) throws {
        let pixel = try pixel(PlainTIFF(samplesPerPixel: 4, bits: bits, extraSample: 0))
        #expect(isNear(pixel, Pixel(red: 128, green: 64, blue: 255), 1), "\(pixel)")
    }

    @Test(arguments: [8, 16]) func associatedAndStraightAlphaAreToldApart(_ bits: Int) throws {
        let straight = try pixel(PlainTIFF(samplesPerPixel: 4, bits: bits, extraSample: 2))
        #expect(isNear(straight, Pixel(red: 64, green: 32, blue: 128, alpha: 128), 1), "\(straight)")
        let associated = try pixel(PlainTIFF(samplesPerPixel: 4, bits: bits, extraSample: 1), [0.25, 0.5, 0, 0.5])
        #expect(isNear(associated, Pixel(red: 64, green: 128, blue: 0, alpha: 128), 1), "\(associated)")
    }

    /// Pillow, ImageMagick and libvips show the rows of a tile that exceeds the image.
    @Test(arguments: [8, 16]) func greyWithAlphaMayBeInTiles(_ bits: Int) throws {
        for isTiled in [false, true] {
            let file = PlainTIFF(photometric: 1, samplesPerPixel: 2, bits: bits, extraSample: 2, isTiled: isTiled)
            let bytes = file.bytes { pixel, channel in channel == 0 ? Double(pixel) / 127 : 0.5 }
            let image = try TIFFDecoder().decode(bytes, context: DecodeContext())
            for (x, y) in [(0, 0), (3, 1), (2, 9), (3, 15), (1, 16), (3, 31)] {
                let grey = UInt8((Double(4 * y + x) / 127 * 128).rounded())
                #expect(isNear(image.pixels[x, y], Pixel(red: grey, green: grey, blue: grey, alpha: 128), 1))
            }
        }
    }

    /// ImageMagick and libvips show it; TIFF 6.0, page 31, allows it for every photometric interpretation.
    @Test(arguments: [false, true]) func aPaletteMayHaveAlpha(_ isTiled: Bool) throws {
        var map = Data(count: 3 * 256 * 2)
        for (plane, value) in [200, 100, 50].enumerated() {
            map.replaceSubrange(
                2 * (256 * plane + 128)..<2 * (256 * plane + 129), with: PlainTIFF.number(value * 257, 2))
        }
        let file = PlainTIFF(
            photometric: 3, samplesPerPixel: 2, bits: 8, extraSample: 2, isTiled: isTiled,
            fields: [(320, 3, 3 * 256, map)])
        let bytes = file.bytes { pixel, channel in channel == 1 || pixel == 125 ? 0.5 : 0 }
        let image = try TIFFDecoder().decode(bytes, context: DecodeContext())
        #expect(image.pixels[1, 31] == Pixel(red: 100, green: 50, blue: 25, alpha: 128), "\(image.pixels[1, 31])")
        #expect(image.pixels[0, 31] == Pixel(red: 0, green: 0, blue: 0, alpha: 128) && image.info.hasAlpha)
    }

    /// ImageMagick shows the alpha of CMYK, and ink of another kind is none.
    @Test(arguments: [8, 16], [0, 1, 2]) func inksMayHaveAlpha(_ bits: Int, _ kind: Int) throws {
        let file = PlainTIFF(photometric: 5, samplesPerPixel: 5, bits: bits, extraSample: kind)
        let inks = kind == 1 ? [0.5, 0, 0.25, 0, 0.5] : [1, 0, 0.5, 0, 0.5]
        let shown = try pixel(file, inks)
        let (green, blue) = kind == 0 ? (255, 128) : (128, 64)
        let expected = Pixel(red: 0, green: UInt8(green), blue: UInt8(blue), alpha: kind == 0 ? 255 : 128)
        #expect(isNear(shown, expected, 1), "\(shown)")
    }

    /// TIFF 6.0, page 31: 2 is unassociated alpha, whose colours are straight. ffmpeg takes every alpha for that.
    @Test(arguments: [8, 16]) func transparencyIsWrittenAsUnassociatedAlpha(_ bits: Int) throws {
        let source = PlainTIFF(samplesPerPixel: 4, bits: bits, extraSample: 2).bytes { Self.color[$1] }
        var options = DecodeOptions()
        options.range = .high
        let image = try TIFFDecoder().decode(source, context: DecodeContext(options: options))
        let file = try ImageCoderRegistry.standard.encode(image, as: .tiff)
        // The fields ExtraSamples, one short number, and BitsPerSample, four.
        let extraSamples = Data([0x52, 0x01, 3, 0, 1, 0, 0, 0, 2, 0])
        #expect(file.starts(with: Data("II*\0".utf8)) && file.firstRange(of: extraSamples) != nil)
        let depth = try #require(file.firstRange(of: Data([0x02, 0x01, 3, 0, 4, 0, 0, 0]))).upperBound
        let offset = file[depth..<depth + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
        #expect(file[offset..<offset + 8].elementsEqual((0..<8).map { $0 % 2 == 0 ? UInt8(bits) : 0 }))
        let read = try TIFFDecoder().decode(file, context: DecodeContext()).pixels[1, 1]
        #expect(isNear(read, Pixel(red: 64, green: 32, blue: 128, alpha: 128), 1), "\(read)")
    }

    /// L* = 51.6 is the grey 123 of sRGB; red has L* = 53.2, a* = 80.1, b* = 67.2 (CIE 1976 under D50, by lcms2: 54.3,
    /// 80.8, 69.9).
    @Test(arguments: [8, 16]) func labIsRelativeToWhite(_ bits: Int) throws {
        let file = PlainTIFF(photometric: 8, bits: bits)
        #expect(isNear(try pixel(file, [1, 0, 0]), Pixel(red: 255, green: 255, blue: 255), 2))
        #expect(isNear(try pixel(file, [0.516, 0, 0]), Pixel(red: 123, green: 123, blue: 123), 2))
        // a* and b* are signed numbers of which 1/256 of the range is 1.
        let red = try pixel(file, [0.543, 80.8 / 256, 69.9 / 256])
        #expect(isNear(red, Pixel(red: 255, green: 0, blue: 0), 8), "\(red)")
    }

    @Test(arguments: [8, 16, 32]) func signedSamplesAreScaledByTheirRange(_ bits: Int) throws {
        let pixel = try pixel(PlainTIFF(bits: bits, isSigned: true))
        #expect(isNear(pixel, Pixel(red: 128, green: 64, blue: 255), 1), "\(pixel)")
    }

    /// ImageMagick and libvips look up 16-bit indices, too, and take numbers up to 255 for those of 8 bits, as libtiff
    /// does.
    @Test(arguments: [257, 1]) func aPaletteMayHave65536Colors(_ unit: Int) throws {
        var map = Data(count: 3 * 65536 * 2)
        for (plane, value) in [200, 100, 50].enumerated() {
            map.replaceSubrange(
                2 * (65536 * plane + 0x1234)..<2 * (65536 * plane + 0x1234) + 2,
                with: PlainTIFF.number(value * unit, 2))
        }
        let file = PlainTIFF(photometric: 3, samplesPerPixel: 1, fields: [(320, 3, 3 * 65536, map)])
        let bytes = file.bytes { pixel, _ in pixel == 5 ? Double(0x1234) / 65535 : 0 }
        let image = try TIFFDecoder().decode(bytes, context: DecodeContext())
        #expect(image.pixels[1, 1] == Pixel(red: 200, green: 100, blue: 50), "\(image.pixels[1, 1])")
        #expect(image.pixels[0, 0] == Pixel(red: 0, green: 0, blue: 0))
    }

    /// Pillow, ImageMagick and ffmpeg show such files with the coefficients of Rec. ITU-R BT.601, the default of TIFF
    /// 6.0.
    @Test func coefficientsThatAreNoNumbersAreTheDefault() throws {
        func file(_ coefficients: Data?) -> PlainTIFF {
            PlainTIFF(
                photometric: 6, bits: 8, subsampling: (1, 1), fields: coefficients.map { [(529, 5, 3, $0)] } ?? [])
        }
        let plain = try pixel(file(nil), [0.5, 0.25, 0.75])
        #expect(try pixel(file(Data(count: 24)), [0.5, 0.25, 0.75]) == plain)
        #expect(plain != Pixel(red: 128, green: 64, blue: 191) && plain.alpha == 255)
    }
}
