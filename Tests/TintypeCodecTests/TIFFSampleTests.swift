import Foundation
import Testing
import TintypeCore
import TintypeTIFF

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
