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

    /// L* = 51.6 is the grey 123 of sRGB; red has L* = 53.2, a* = 80.1, b* = 67.2 (CIE 1976 under D50, by lcms2: 54.3, 80.8,
    /// 69.9).
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
}
