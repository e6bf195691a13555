import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import Tintype
@testable import TintypeCore

/// Images with more pixels than the limits allow, which a request wants scaled down instead of refused: SDWebImage's
/// `scaleDownLargeImages`.
@Suite struct OversizedTests {
    private static let coders = ImageCoderRegistry.standard
    private static let size = PixelSize(width: 120, height: 80)

    private static func file(_ format: ImageFormat) throws -> Data {
        let pixels = try PixelBuffer.drawn(size) { x, y in
            Pixel(red: UInt8(2 * x), green: UInt8(3 * y), blue: UInt8(x + y))
        }
        return try coders.encoder(for: format).encode(pixels, as: format, options: EncodeOptions(quality: 0.9))
    }

    private static func context(_ change: (inout DecodeOptions, inout DecodeLimits) -> Void) -> DecodeContext {
        var (options, limits) = (DecodeOptions(), DecodeLimits(pixels: 2400))
        options.oversized = .scaledDown
        change(&options, &limits)
        return DecodeContext(options: options, limits: limits)
    }

    private func decode(_ data: Data, _ context: DecodeContext) throws -> Image {
        try Self.coders.decoder(for: data).decodeChecked(data, context: context)
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .tiff, .bmp, .webp, .heic, .avif, .jxl, .gif])
    func anOversizedImageIsScaledToTheLimit(_ format: ImageFormat) throws {
        let data = try Self.file(format)
        let refused = expectError(.limitExceeded) {
            _ = try decode(data, Self.context { options, _ in options.oversized = .refused })
        }
        #expect(refused?.limit == .pixels)
        let image = try decode(data, Self.context { _, _ in })
        // 2400 pixels of 3:2.
        #expect(image.size == PixelSize(width: 60, height: 40) && image.info.size == Self.size)
        let asked = try decode(data, DecodeContext(options: DecodeOptions(size: .fit(image.size))))
        #expect(asked.pixels.rows == image.pixels.rows)
    }

    @Test func whatTheLimitsAllowStays() throws {
        let data = try Self.file(.png)
        let fitting = try decode(data, Self.context { $1.pixels = 9600 })
        #expect(fitting.size == Self.size)
        // A smaller size and a part are as they were asked for.
        let small = try decode(
            data, Self.context { options, _ in options.size = .fit(PixelSize(width: 30, height: 0)) })
        #expect(small.size == PixelSize(width: 30, height: 20))
        let part = try decode(
            data,
            Self.context { options, _ in options.crop = PixelRect(x: 0, y: 0, size: PixelSize(width: 40, height: 40)) })
        #expect(part.size == PixelSize(width: 40, height: 40))
    }

    @Test func theSidesAndOtherShapesKeepToTheLimits() throws {
        let data = try Self.file(.png)
        let narrow = try decode(data, Self.context { ($1.pixels, $1.side) = (100_000, 60) })
        #expect(narrow.size == PixelSize(width: 60, height: 40))
        let stretched = try decode(
            data, Self.context { options, _ in options.size = .shrink(PixelSize(width: 120, height: 40)) })
        #expect(stretched.size.area <= 2400 && stretched.size == PixelSize(width: 84, height: 28))
        // Everything else still holds.
        let refused = expectError(.limitExceeded) {
            _ = try decode(data, Self.context { $1.memoryBytes = 1000 })
        }
        #expect(refused?.limit == .memoryBytes)
    }

    @Test func drawingsAreDrawnSmaller() throws {
        let data = Data("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 600 400\"/>".utf8)
        expectError(.limitExceeded) {
            try decode(data, Self.context { options, _ in options.oversized = .refused })
        }
        #expect(try decode(data, Self.context { _, _ in }).size == PixelSize(width: 60, height: 40))
    }

    @Test func theSettingIsInTheKey() {
        var options = DecodeOptions()
        let plain = options.identifier
        options.oversized = .scaledDown
        #expect(options.identifier != plain && options.identifier == "scaled")
    }
}
