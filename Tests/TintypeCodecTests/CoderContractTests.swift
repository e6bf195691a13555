import Foundation
import Testing
import Tintype
import TintypeTesting

/// What SDWebImage's tests verify of each of its coders, for files of every format: both kinds of thumbnails, and
/// encoding in the format of the file.
@Suite struct CoderContractTests {
    private static let animations = [
        "animated.png", "rects.gif", "rects.webp", "sequence.avif", "rects.jxl", "sequence.heics",
    ]
    private static let stills = [
        "baseline-420.jpg", "rgba-8.png", "palette-trns.png", "still-87a.gif", "lossless.webp", "rgb-24.bmp",
        "rgba.tiff", "lossy-444.avif", "lossless.jxl", "lossy.heic",
    ]
    private let coders = ImageCoderRegistry.standard

    private func decode(_ data: Data, _ size: DecodeOptions.Size = .full) throws(TintypeError) -> Image {
        try coders.decoder(for: data).decode(data, context: DecodeContext(options: DecodeOptions(size: size)))
    }

    @Test(arguments: animations + stills)
    func aThumbnailFillsOrFitsItsBox(_ name: String) throws {
        let data = try FixtureManifest.named(name).data
        let size = try decode(data).size
        let box = PixelSize(width: size.width / 2, height: size.height / 3)
        let (filling, fitting) = (try decode(data, .shrink(box)), try decode(data, .fit(box)))
        #expect(filling.size == box && fitting.size == size.fitted(into: box))
        for image in [filling, fitting] {
            #expect(image.isThumbnail && image.pixels.size == image.size)
            #expect(image.animation.map(\.size) ?? image.size == image.size)
        }
    }

    @Test(arguments: animations + stills, [false, true])
    func anEncodedImageHasTheSizeAndTheLoopsOfItsSource(_ name: String, _ isLimited: Bool) throws {
        let image = try decode(try FixtureManifest.named(name).data)
        let box = PixelSize(width: image.size.width / 2, height: image.size.height / 2)
        let options = isLimited ? EncodeOptions(maximumSize: box) : EncodeOptions()
        let format = image.info.format
        let written = try decode(try coders.encode(image, as: format, options: options))
        #expect(written.size == (isLimited ? image.size.fitted(into: box) : image.size))
        #expect(written.info.format == format && written.scale == image.scale)
        #expect(written.isAnimated == image.isAnimated && written.info.loopCount == image.info.loopCount)
    }
}
