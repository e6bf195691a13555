import Foundation
import Testing
import TintypeCore
import TintypeJPEG

@testable import TintypeRAW

/// The preview that a camera embeds.
@Suite struct RAWPreviewTests {
    /// Sizes of a preview, of the image and of the result, and the part that is shown.
    struct Row: Sendable {
        let preview, image, result: PixelSize
        let part: PixelRect?

        init(
            _ preview: (Int, Int), of image: (Int, Int), at result: (Int, Int), _ part: (Int, Int, Int, Int)?
        ) {
            self.preview = PixelSize(width: preview.0, height: preview.1)
            self.image = PixelSize(width: image.0, height: image.1)
            self.result = PixelSize(width: result.0, height: result.1)
            self.part = part.map { PixelRect(x: $0.0, y: $0.1, size: PixelSize(width: $0.2, height: $0.3)) }
        }
    }

    static let rows = [
        // Sizes of cameras.
        Row((6016, 4016), of: (6032, 4032), at: (300, 200), (4, 0, 6008, 4016)),
        Row((1616, 1080), of: (6048, 4024), at: (1500, 998), (0, 2, 1616, 1075)),
        Row((4016, 6016), of: (4032, 6032), at: (200, 300), (0, 4, 4016, 6008)),
        // The whole preview.
        Row((64, 48), of: (64, 48), at: (64, 48), (0, 0, 64, 48)),
        // One with other proportions, turned, or black bars; too small after the crop; empty.
        Row((1600, 900), of: (6000, 4000), at: (60, 40), nil), Row((900, 1600), of: (6000, 4000), at: (60, 40), nil),
        Row((160, 120), of: (6000, 4000), at: (60, 40), nil),
        Row((1616, 1080), of: (6048, 4024), at: (1616, 1080), nil),
        Row((1616, 1080), of: (6048, 4024), at: (1617, 900), nil), Row((0, 0), of: (6048, 4024), at: (1, 1), nil),
        Row((10, 10), of: (0, 0), at: (1, 1), nil),
    ]

    @Test(arguments: rows) func theCentreWithTheShapeOfTheImageIsShown(_ row: Row) {
        #expect(RAWPreview.part(of: row.preview, showing: row.image, atLeast: row.result) == row.part, "\(row)")
    }

    // MARK: Files

    /// Returns a green JPEG.
    private static func jpeg(_ size: PixelSize) throws -> Data {
        var writer = try PixelWriter(size: size)
        writer.withRows { rows in
            for index in stride(from: 0, to: rows.count, by: 4) {
                (rows[index], rows[index + 1], rows[index + 2], rows[index + 3]) = (0, 200, 0, 255)
            }
        }
        return try JPEGEncoder().encode(writer.finish(), as: .jpeg, options: EncodeOptions())
    }

    /// Returns a raw image of grey, and its green preview.
    private static func dng(preview: PixelSize, orientation: Int = 1) throws -> Data {
        let jpeg = try jpeg(preview)
        return DNG(
            size: PixelSize(width: 320, height: 240), orientation: orientation, preview: (jpeg, preview)
        ).data
    }

    private func decode(
        _ data: Data, _ thumbnail: DecodeOptions.EmbeddedThumbnail, _ box: PixelSize, crop: PixelRect? = nil
    ) throws(TintypeError) -> Image {
        let options = DecodeOptions(crop: crop, size: .fit(box), embeddedThumbnail: thumbnail)
        return try RAWDecoder().decode(data, context: DecodeContext(options: options))
    }

    private func isGreen(_ image: Image) -> Bool {
        let pixel = image.pixels[image.size.width / 2, image.size.height / 2]
        return Int(pixel.green) > Int(pixel.red) + 60 && Int(pixel.green) > Int(pixel.blue) + 60
    }

    /// LibRaw shows more pixels than the camera, so that the shapes differ by more than rounding. No preview was used.
    @Test(.enabled(if: InstalledLibRaw.isPresent)) func aPreviewOfAlmostTheSameShapeIsUsed() throws {
        let data = try Self.dng(preview: PixelSize(width: 316, height: 240))
        let image = try decode(data, .whereLargeEnough, PixelSize(width: 100, height: 100))
        #expect(isGreen(image) && image.size == PixelSize(width: 100, height: 75))
        #expect(image.info.size == PixelSize(width: 320, height: 240) && image.info.format == .raw)
        #expect(try !isGreen(decode(data, .never, PixelSize(width: 100, height: 100))))
    }

    @Test(.enabled(if: InstalledLibRaw.isPresent)) func aPreviewIsUpright() throws {
        let data = try Self.dng(preview: PixelSize(width: 316, height: 240), orientation: 6)
        let image = try decode(data, .whereLargeEnough, PixelSize(width: 100, height: 100))
        #expect(isGreen(image) && image.size == PixelSize(width: 75, height: 100))
    }

    /// The image is developed.
    @Test(.enabled(if: InstalledLibRaw.isPresent)) func aPreviewThatIsTooSmallOrOfAnotherShapeIsNotUsed() throws {
        let box = PixelSize(width: 100, height: 100)
        for size in [PixelSize(width: 80, height: 60), PixelSize(width: 240, height: 240)] {
            let image = try decode(try Self.dng(preview: size), .whereLargeEnough, box)
            #expect(!isGreen(image) && image.size == PixelSize(width: 100, height: 75), "\(size)")
        }
    }

    /// A damaged preview is no damage of the image.
    @Test(.enabled(if: InstalledLibRaw.isPresent)) func aDamagedPreviewIsIgnored() throws {
        let size = PixelSize(width: 316, height: 240)
        let jpeg = try Self.jpeg(size)
        for damaged in [jpeg.prefix(jpeg.count / 2), Data(count: jpeg.count), jpeg.prefix(2) + Data(count: 100)] {
            let data = DNG(size: PixelSize(width: 320, height: 240), preview: (Data(damaged), size)).data
            let image = try decode(data, .whereLargeEnough, PixelSize(width: 100, height: 100))
            #expect(!isGreen(image) && image.size == PixelSize(width: 100, height: 75))
        }
    }

    /// LibRaw forgets the file when it cannot read the preview. The image was reported as damaged.
    @Test(.enabled(if: InstalledLibRaw.isPresent), arguments: [1_000_000, 1 << 31])
    func aPreviewBeyondTheFileIsIgnored(_ count: Int) throws {
        let size = PixelSize(width: 316, height: 240)
        let preview = (try Self.jpeg(size), size)
        let data = DNG(
            size: PixelSize(width: 320, height: 240), preview: preview, previewByteCount: count
        ).data
        let image = try decode(data, .whereLargeEnough, PixelSize(width: 100, height: 100))
        #expect(!isGreen(image) && image.size == PixelSize(width: 100, height: 75))
    }
}
