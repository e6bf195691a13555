import Testing
import TintypeTesting

@testable import TintypeCore

/// Transformers that do to the high range what they do to the image.
@Suite struct GeometricTransformerTests {
    private static let size = PixelSize(width: 12, height: 8)

    /// An image whose channels state the position of each pixel, in tens, and whose high range does so in ones.
    private static func image(_ size: PixelSize = size) throws -> Image {
        let pixels = try PixelBuffer.drawn(size) { x, y in
            Pixel(red: UInt8(10 * x), green: UInt8(10 * y), blue: UInt8(x == 9 && y == 1 ? 255 : 0))
        }
        let light = try HighRangePixels(size: size) { x, y in SIMD4(Float(x), Float(y), 0, 1) }
        return Image(pixels: pixels, info: ImageInfo(format: .png, size: size), highRange: light)
    }

    private static let exact: [any ImageTransformer] = [
        CropTransformer(to: PixelRect(x: 3, y: 2, size: PixelSize(width: 5, height: 4))),
        CropTransformer(to: PixelSize(width: 5, height: 3), gravity: .bottomRight),
        CropTransformer(to: PixelSize(width: 4, height: 4), gravity: .smart),
        CropTransformer(to: PixelSize(width: 4, height: 4), around: FocalPoint(x: 0.9, y: 0.1)),
        FlipTransformer(horizontal: true), FlipTransformer(horizontal: true, vertical: true),
        RotateTransformer(degrees: 90), RotateTransformer(degrees: -90), RotateTransformer(degrees: 180),
        RotateTransformer(degrees: 0), ResizeTransformer(to: PixelSize(width: 5, height: 8), mode: .fill),
        ResizeTransformer(to: PixelSize(width: 4, height: 8), mode: .fill, gravity: .smart),
        TransformerChain([
            CropTransformer(to: PixelSize(width: 6, height: 6), gravity: .smart),
            TransformerChain([RotateTransformer(degrees: 90), FlipTransformer(vertical: true)]),
        ]),
        Roll(columns: 5), TransformerChain([FlipTransformer(horizontal: true), Roll(columns: 1)]),
    ]

    @Test(arguments: exact.indices) func everyPixelOfTheHighRangeFollowsTheImage(_ index: Int) throws {
        let transformer = Self.exact[index]
        let image = try Self.image().transformed(by: transformer)
        let highRange = try #require(image.highRange, "\(transformer.identifier)")
        #expect(highRange.size == image.size)
        for y in 0..<image.size.height {
            for x in 0..<image.size.width {
                let (pixel, bright) = (image.pixels[x, y], highRange[x, y])
                #expect(
                    Float(pixel.red) == 10 * bright.x && Float(pixel.green) == 10 * bright.y && bright.w == 1,
                    "\(transformer.identifier): \(x), \(y)")
            }
        }
    }

    @Test(arguments: [ResizeTransformer.Mode.fit, .fill, .stretch])
    func theHighRangeIsScaledLikeTheImage(_ mode: ResizeTransformer.Mode) throws {
        let large = try Self.image(PixelSize(width: 24, height: 16))
        let image = try large.transformed(by: ResizeTransformer(to: PixelSize(width: 9, height: 8), mode: mode))
        let highRange = try #require(image.highRange)
        #expect(highRange.size == image.size && image.size.width < 13)
        for y in 0..<image.size.height {
            for x in 0..<image.size.width {
                let (pixel, bright) = (image.pixels[x, y], highRange[x, y])
                #expect(abs(Float(pixel.red) - 10 * bright.x) < 3 && abs(Float(pixel.green) - 10 * bright.y) < 3)
            }
        }
    }

    private static let others: [any ImageTransformer] = [
        RotateTransformer(degrees: 45), BlurTransformer(radius: 1), CanvasTransformer(PixelSize(width: 20, height: 20)),
        TransformerChain([FlipTransformer(horizontal: true), BlurTransformer(radius: 1)]),
    ]

    /// A wrong high range would be worse than none.
    @Test(arguments: others.indices) func othersRemoveTheHighRange(_ index: Int) throws {
        let image = try Self.image().transformed(by: Self.others[index])
        #expect(image.highRange == nil && image.size.isPositive)
    }

    @Test func anImageWithoutHighRangeHasNoneAfterwards() throws {
        let image = try Self.image()
        let plain = image.replacing(pixels: image.pixels)
        #expect(try plain.transformed(by: FlipTransformer(horizontal: true)).highRange == nil)
    }
}

/// A transformer of a program: what it moves out of the image on the left enters on the right.
private struct Roll: GeometricTransformer {
    let columns: Int
    var identifier: String { "roll-\(columns)" }

    func transform(_ pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        var writer = try PixelWriter(size: pixels.size)
        writer.withRows { bytes in
            for y in 0..<pixels.size.height {
                for x in 0..<pixels.size.width {
                    let pixel = pixels[(x + columns) % pixels.size.width, y]
                    bytes.storeBytes(
                        of: pixel, toByteOffset: y * pixels.bytesPerRow + x * PixelBuffer.bytesPerPixel,
                        as: Pixel.self)
                }
            }
        }
        return writer.finish()
    }

    func transform(
        _ highRange: HighRangePixels, of pixels: PixelBuffer
    ) throws(TintypeError) -> HighRangePixels? {
        try HighRangePixels(size: highRange.size) { x, y in highRange[(x + columns) % highRange.size.width, y] }
    }
}
