import Foundation
import Testing
import Tintype
import TintypeTesting

@Suite struct EncodeTests {
    private let size = PixelSize(width: 37, height: 23)

    private func decode(_ data: Data) throws(TintypeError) -> Image {
        try DecodeTests.coders.decoder(for: data).decode(data, context: DecodeContext())
    }

    @Test func pngKeepsOpaquePixelsExactly() throws {
        let pixels = try PixelBuffer.drawn(size) { x, y in Pixel(red: UInt8(x * 6), green: UInt8(y * 9), blue: 77) }
        let data = try PNGEncoder().encode(pixels, as: .png, options: EncodeOptions())
        let image = try decode(data)
        #expect(PixelDifference(between: image.pixels, and: pixels)?.maximum == 0)
        #expect(!image.info.hasAlpha)
    }

    @Test func pngKeepsTransparentPixelsExactly() throws {
        let pixels = try PixelBuffer.drawn(size) { x, y in
            let alpha = UInt8(x * 6)
            return Pixel(red: alpha / 2, green: alpha, blue: 0, alpha: alpha)
        }
        let image = try decode(try PNGEncoder().encode(pixels, as: .png, options: EncodeOptions()))
        #expect(image.info.hasAlpha)
        #expect(PixelDifference(between: image.pixels, and: pixels)?.maximum == 0)
    }

    @Test(arguments: [ImageFormat.avif, .bmp, .jxl, .tiff, .webp]) func losslessFormatsKeepEveryPixel(
        _ format: ImageFormat
    )
        throws
    {
        let encoder = try DecodeTests.coders.encoder(for: format)
        let opaque = try PixelBuffer.drawn(size) { x, y in Pixel(red: UInt8(x * 6), green: UInt8(y * 9), blue: 77) }
        let clear = try PixelBuffer.drawn(size) { x, y in
            let alpha = UInt8(x * 6)
            return Pixel(red: alpha / 2, green: alpha, blue: 0, alpha: alpha)
        }
        for pixels in [opaque, clear] {
            let image = try decode(try encoder.encode(pixels, as: format, options: EncodeOptions()))
            #expect(image.info.format == format && image.info.hasAlpha == !pixels.isOpaque)
            #expect(PixelDifference(between: image.pixels, and: pixels)?.maximum == 0)
        }
    }

    @Test(arguments: [ImageFormat.avif, .heic, .jxl, .webp]) func lowerQualityIsSmallerAndStillClose(
        _ format: ImageFormat
    )
        throws
    {
        let encoder = try DecodeTests.coders.encoder(for: format)
        let pixels = try PixelBuffer.drawn(PixelSize(width: 64, height: 48)) { x, y in
            Pixel(red: UInt8(x * 4), green: UInt8(y * 5), blue: UInt8((x * 7 + y * 3) & 255))
        }
        let fine = try encoder.encode(pixels, as: format, options: EncodeOptions(quality: 0.95))
        let coarse = try encoder.encode(pixels, as: format, options: EncodeOptions(quality: 0.3))
        #expect(coarse.count < fine.count)
        #expect(try #require(PixelDifference(between: try decode(fine).pixels, and: pixels)).mean < 8)
        #expect(try #require(PixelDifference(between: try decode(coarse).pixels, and: pixels)).mean < 25)
    }

    @Test(arguments: [ImageFormat.avif, .heic, .jxl, .webp], [Double.nan, -1, 0, 7, .infinity])
    func anyQualityYieldsAnImage(_ format: ImageFormat, _ quality: Double) throws {
        let pixels = try PixelBuffer.filled(Pixel(red: 1, green: 2, blue: 3), size: size)
        let data = try DecodeTests.coders.encoder(for: format).encode(
            pixels, as: format, options: EncodeOptions(quality: quality))
        #expect(try decode(data).size == size)
    }

    @Test func jpegIsCloseAndSmallerAtLowerQuality() throws {
        let pixels = try PixelBuffer.drawn(size) { x, y in Pixel(red: UInt8(x * 6), green: UInt8(y * 9), blue: 77) }
        let fine = try JPEGEncoder().encode(pixels, as: .jpeg, options: EncodeOptions(quality: 1))
        let coarse = try JPEGEncoder().encode(pixels, as: .jpeg, options: EncodeOptions(quality: 0.1))
        #expect(coarse.count < fine.count)
        #expect(try #require(PixelDifference(between: try decode(fine).pixels, and: pixels)).mean < 1)
    }

    @Test func jpegPutsTransparencyOnTheBackground() throws {
        let pixels = try PixelBuffer.filled(Pixel(red: 0, green: 0, blue: 0, alpha: 0), size: size)
        let options = EncodeOptions(background: Pixel(red: 200, green: 100, blue: 50))
        let pixel = try decode(try JPEGEncoder().encode(pixels, as: .jpeg, options: options)).pixels[5, 5]
        #expect(abs(Int(pixel.red) - 200) < 3 && abs(Int(pixel.green) - 100) < 3 && abs(Int(pixel.blue) - 50) < 3)
    }

    @Test(arguments: [Double.nan, -1, 0, 7, .infinity]) func anyQualityYieldsAnImage(_ quality: Double) throws {
        let pixels = try PixelBuffer.filled(Pixel(red: 1, green: 2, blue: 3), size: size)
        let data = try JPEGEncoder().encode(pixels, as: .jpeg, options: EncodeOptions(quality: quality))
        #expect(try decode(data).size == size)
    }
}
