import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeGIF

@Suite struct GIFColorTests {
    /// A part of a photo with 4691 colours.
    private func photo() throws -> PixelBuffer {
        let data = try FixtureManifest.named("large-baseline.jpg").data
        let whole = try DecodeTests.coders.decoder(for: data).decode(data, context: DecodeContext()).pixels
        return try whole.cropped(to: PixelRect(x: 200, y: 150, size: PixelSize(width: 160, height: 120)))
    }

    private func written(_ pixels: PixelBuffer, _ encoder: GIFEncoder = GIFEncoder(), quality: Double = 1) throws
        -> PixelBuffer
    {
        let data = try encoder.encode(pixels, as: .gif, options: EncodeOptions(quality: quality))
        return try GIFDecoder().decode(data, context: DecodeContext()).pixels
    }

    private func colors(_ pixels: PixelBuffer) -> Set<Pixel> {
        Set((0..<pixels.size.area).map { pixels[$0 % pixels.size.width, $0 / pixels.size.width] })
    }

    /// The mean of the squared differences of the colour channels.
    private func error(_ left: PixelBuffer, _ right: PixelBuffer) -> Double {
        var sum = 0
        for y in 0..<left.size.height {
            for x in 0..<left.size.width {
                let (a, b) = (left[x, y], right[x, y])
                let differences = [(a.red, b.red), (a.green, b.green), (a.blue, b.blue)].map { Int($0) - Int($1) }
                sum += differences.reduce(0) { $0 + $1 * $1 }
            }
        }
        return Double(sum) / Double(3 * left.size.area)
    }

    /// Pillow and OpenCV show the value of each pixel as its grey level.
    @Test(arguments: [7, 8]) func aGIFWithoutColourTableShowsGreyLevels(_ bits: Int) throws {
        var data =
            Data("GIF89a".utf8) + Data([3, 0, 1, 0, UInt8(bits - 1), 0, 0, 0x2C, 0, 0, 0, 0, 3, 0, 1, 0, 0])
        // Clear, black, the middle, white, end: codes of bits + 1.
        let codes = [1 << bits, 0, 1 << (bits - 1), (1 << bits) - 1, (1 << bits) + 1]
        let text = codes.reversed().map { code in
            let digits = String(code, radix: 2)
            return String(repeating: "0", count: bits + 1 - digits.count) + digits
        }.joined()
        let padded = String(repeating: "0", count: (8 - text.count % 8) % 8) + text
        let bytes = stride(from: padded.count - 8, through: 0, by: -8).compactMap {
            UInt8(padded.dropFirst($0).prefix(8), radix: 2)
        }
        data += Data([UInt8(bits), UInt8(bytes.count)] + bytes + [0, 0x3B])
        let pixels = try GIFDecoder().decode(data, context: DecodeContext()).pixels
        let (middle, last) = (UInt8(1 << (bits - 1)), UInt8((1 << bits) - 1))
        #expect((0..<3).map { pixels[$0, 0].green } == [0, middle, last] && pixels[0, 0].alpha == 255)
    }

    @Test func twoHundredAndFiftySixColoursAreExact() throws {
        let image = try PixelBuffer.drawn(PixelSize(width: 16, height: 16)) { x, y in
            Pixel(red: UInt8(x * 16), green: UInt8(y * 16), blue: UInt8(x * y))
        }
        #expect(PixelDifference(between: try written(image), and: image)?.maximum == 0)
    }

    @Test func twoHundredAndFiftySixColoursAndTransparencyAreReduced() throws {
        let image = try PixelBuffer.drawn(PixelSize(width: 16, height: 17)) { x, y in
            y == 16
                ? Pixel(red: 0, green: 0, blue: 0, alpha: 0) : Pixel(red: UInt8(x * 16), green: UInt8(y * 16), blue: 3)
        }
        let gif = try written(image, GIFEncoder(isDithering: false))
        #expect(colors(gif).count <= 256 && error(gif, image) < 4)
        #expect((0..<16).allSatisfy { gif[$0, 16].alpha == 0 && gif[$0, 3].alpha == 255 })
    }

    @Test func translucentPixelsBecomeOpaqueOrTransparent() throws {
        let image = try PixelBuffer.drawn(PixelSize(width: 256, height: 1)) { x, _ in
            Pixel(red: UInt8(x), green: 0, blue: 0, alpha: UInt8(x))
        }
        let gif = try written(image)
        #expect((0..<128).allSatisfy { gif[$0, 0] == Pixel(red: 0, green: 0, blue: 0, alpha: 0) })
        #expect((128..<256).allSatisfy { gif[$0, 0] == Pixel(red: 255, green: 0, blue: 0) })
    }

    @Test(arguments: [(1.0, 256), (0.8, 256), (0.4, 132), (0, 8), (-1, 8), (Double.nan, 8)])
    func aLowQualityReducesTheColours(_ quality: Double, _ most: Int) throws {
        #expect(GIFEncoder.colorLimit(EncodeOptions(quality: quality)) == most)
        let count = colors(try written(try photo(), quality: quality)).count
        #expect(count <= most && count > most * 8 / 10)
    }

    @Test func coloursAreNearerThanThoseOfPillow() throws {
        let photo = try photo()
        let plain = error(try written(photo, GIFEncoder(isDithering: false)), photo)
        #expect(plain < Self.pillowError, "\(plain)")
        // Dithered pixels are no nearer one by one, but their averages are.
        let dithered = try written(photo)
        let quarter = PixelSize(width: photo.size.width / 4, height: photo.size.height / 4)
        func average(_ pixels: PixelBuffer) throws -> PixelBuffer {
            try ResizeTransformer(to: quarter, mode: .stretch, filter: .box).transform(pixels)
        }
        let undithered = try written(photo, GIFEncoder(isDithering: false))
        #expect(error(try average(dithered), try average(photo)) < error(try average(undithered), try average(photo)))
    }

    /// The mean squared error of Pillow 13.0.0 for the same pixels with its best setting,
    /// `quantize(256, MEDIANCUT, kmeans=1, dither=NONE)`. Without `kmeans` it is 10.82.
    private static let pillowError = 4.158

    @Test func aSharedPaletteServesAllFrames() throws {
        let size = PixelSize(width: 32, height: 24)
        let frames = try (0..<4).map { index in
            TimedImage(
                try .drawn(size) { x, y in Pixel(red: UInt8(x * 8), green: UInt8(y * 10), blue: UInt8(index * 80)) },
                duration: 0.1)
        }
        let original = try AnimatedImage(frames)
        func mean(_ palette: GIFEncoder.Palette) throws -> (error: Double, byteCount: Int) {
            let data = try GIFEncoder(palette: palette).encode(original, as: .gif, options: EncodeOptions())
            let written = try #require(try GIFDecoder().decode(data, context: DecodeContext()).animation)
            let errors = try (0..<4).map { error(try written.frame(at: $0), try original.frame(at: $0)) }
            return (errors.reduce(0, +) / 4, data.count)
        }
        let (own, shared) = (try mean(.perFrame), try mean(.shared))
        #expect(own.error < shared.error && shared.error < 200, "\(own) \(shared)")
    }

    @Test func aFullyTransparentImageIsEncoded() throws {
        let clear = try PixelBuffer.filled(
            Pixel(red: 0, green: 0, blue: 0, alpha: 0), size: PixelSize(width: 3, height: 3))
        #expect(PixelDifference(between: try written(clear), and: clear)?.maximum == 0)
    }

    @Test func anImageThatIsTooWideForAGIFIsRefused() throws {
        let wide = try PixelBuffer.filled(Pixel(red: 0, green: 0, blue: 0), size: PixelSize(width: 65_536, height: 1))
        expectError(.encodeFailed) { try written(wide) }
    }

    // MARK: Quantizer

    @Test func fewClustersAreFoundExactly() {
        let middles: [UInt32] = [0xFF10_2030, 0xFFE0_2030, 0xFF10_E030, 0xFFE0_E0F0]
        let histogram = makeHistogram(middles.flatMap { [UInt32](repeating: $0, count: 10) }, limit: 3)
        #expect(histogram.exactColors == nil)
        #expect(Set(ColorQuantizer(histogram.cells).colors(limit: 4)) == Set(middles))
        #expect(ColorQuantizer(histogram.cells).colors(limit: 200).count == 4)
        #expect(ColorQuantizer(histogram.cells).colors(limit: 1).count == 1)
    }

    @Test func aQuantizerWithoutPixelsHasNoColours() {
        #expect(ColorQuantizer(ColorHistogram(limit: 3).cells).colors(limit: 3).isEmpty)
    }

    private func makeHistogram(_ words: [UInt32], limit: Int) -> ColorHistogram {
        var histogram = ColorHistogram(limit: limit)
        guard
            let image = try? PixelBuffer.makeRows(
                PixelSize(width: words.count, height: 1),
                { _, row in for x in row.indices { row[x] = words[x] } })
        else { return histogram }
        histogram.add(image)
        return histogram
    }
}
