import Foundation
import Testing
import Tintype
import TintypeTesting

/// One picture of every format beside the others: `docs/images/formats.png`.
///
/// Where it is to look otherwise, `TINTYPE_WRITE_SHEET=1 swift test --filter ContactSheetTests` draws it anew; look at it
/// before it is committed.
@Suite struct ContactSheetTests {
    private static let columns = 8
    private static let cell = PixelSize(width: 96, height: 72)
    private static let gap = 8
    private static let ground = Pixel(red: 96, green: 96, blue: 104)

    /// Each format still, with alpha, moving, of other colours and of more than 8 bits, as far as it has that.
    private static let names = [
        "baseline-420.jpg", "progressive.jpg", "grey.jpg", "cmyk.jpg", "inks.jpg", "p3.jpg", "orientation-6.jpg",
        "rgb-8.png", "rgba-8.png", "palette-trns.png", "adam7-rgba.png", "p3.png", "pq.png", "hlg.png", "rects.png",
        "rects.gif", "interlaced.gif", "lossy.webp", "lossy-alpha.webp", "p3.webp", "rects.webp", "lossy.heic",
        "alpha.heic", "p3.heic", "pq.heic", "sequence.heics", "lossy-420.avif", "alpha.avif", "p3.avif", "pq-10.avif",
        "sequence.avif", "lossy.jxl", "lossless-alpha.jxl", "p3.jxl", "pq.jxl", "rects.jxl", "rgb.tiff", "rgba.tiff",
        "grey-16.tiff", "inks.tiff", "p3-16.tiff", "rgb-24.bmp", "rgba-v4.bmp", "palette-8.bmp", "alpha-32.ico",
        "several.ico",
    ]

    private static let sheetFile = URL(filePath: #filePath).appending(path: "../../../docs/images/formats.png")
        .standardizedFileURL

    @Test func everyFormatLooksAsOnTheSheet() throws {
        let sheet = try Self.sheet(try Self.pictures())
        if ProcessInfo.processInfo.environment["TINTYPE_WRITE_SHEET"] == "1" {
            try PNGEncoder().encode(sheet, as: .png, EncodeOptions()).write(to: Self.sheetFile)
        }
        let expected = try PNGDecoder().decode(try Data(contentsOf: Self.sheetFile), DecodeContext()).pixels
        let difference = try #require(PixelDifference(sheet, expected))
        // Another build of the libraries of lossy formats may round otherwise.
        #expect(difference.maximum <= 12 && difference.mean < 0.5, "\(difference)")
    }

    @Test func everyFormatIsOnTheSheet() throws {
        var formats = Set(
            try Self.names.map { try DecodeTests.coders.info(of: FixtureManifest.named($0).data)?.format })
        formats.insert(.svg)
        #expect(formats == Set(DecodeTests.coders.decodableFormats))
    }

    private static func pictures() throws -> [PixelBuffer] {
        let files = try names.map { try FixtureManifest.named($0).data } + [FormatMatrixTests.svg]
        let context = DecodeContext(options: DecodeOptions(size: .fit(cell)))
        return try files.map { try DecodeTests.coders.decoder(for: $0).decode($0, context).pixels }
    }

    private static func sheet(_ pictures: [PixelBuffer]) throws -> PixelBuffer {
        let rows = (pictures.count + columns - 1) / columns
        let size = PixelSize(
            width: columns * (cell.width + gap) + gap, height: rows * (cell.height + gap) + gap)
        let shown = try pictures.map { try $0.flattened(on: ground) }
        return try .drawn(size) { x, y in
            let (column, row) = (x / (cell.width + gap), y / (cell.height + gap))
            let index = row * columns + column
            guard index < shown.count, column < columns else { return ground }
            let picture = shown[index]
            let left = column * (cell.width + gap) + gap + (cell.width - picture.size.width) / 2
            let top = row * (cell.height + gap) + gap + (cell.height - picture.size.height) / 2
            let isInside = x >= left && y >= top && x < left + picture.size.width && y < top + picture.size.height
            return isInside ? picture[x - left, y - top] : ground
        }
    }
}
