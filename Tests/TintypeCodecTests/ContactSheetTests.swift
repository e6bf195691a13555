import Foundation
import Testing
import Tintype
import TintypeTesting

/// One image of every format side by side: `formats.png`.
///
/// To redraw it, run `TINTYPE_WRITE_SHEET=1 swift test --filter ContactSheetTests`, and look at it before you commit
/// it.
@Suite struct ContactSheetTests {
    private static let columns = 8
    private static let cell = PixelSize(width: 96, height: 72)
    private static let labelWidth = 96
    private static let gap = 8
    private static let ground = Pixel(red: 96, green: 96, blue: 104)

    /// One labelled row per format: still, with alpha, animated, in other colours, and with more than 8 bits, as far as
    /// the format supports it. The article Formats describes each image.
    private static let rows: [(label: String, names: [String])] = [
        (
            "JPEG",
            [
                "baseline-420.jpg", "progressive.jpg", "grey.jpg", "cmyk.jpg", "inks.jpg", "p3.jpg",
                "orientation-6.jpg", "ycck.jpg",
            ]
        ),
        (
            "PNG",
            [
                "rgb-8.png", "rgba-8.png", "palette-trns.png", "adam7-rgba.png", "p3.png", "pq.png", "hlg.png",
                "rects.png",
            ]
        ),
        ("GIF", ["rects.gif", "interlaced.gif"]),
        ("WEBP", ["lossy.webp", "lossy-alpha.webp", "p3.webp", "rects.webp"]),
        ("HEIC", ["lossy.heic", "alpha.heic", "p3.heic", "pq.heic", "sequence.heics", "sequence-alpha.heics"]),
        ("AVIF", ["lossy-420.avif", "alpha.avif", "p3.avif", "pq-10.avif", "sequence.avif"]),
        ("JPEG XL", ["lossy.jxl", "lossless-alpha.jxl", "p3.jxl", "pq.jxl", "rects.jxl"]),
        ("TIFF", ["rgb.tiff", "rgba.tiff", "grey-16.tiff", "inks.tiff", "p3-16.tiff"]),
        ("BMP", ["rgb-24.bmp", "rgba-v4.bmp", "palette-8.bmp"]),
        ("ICO", ["alpha-32.ico", "several.ico"]),
    ]

    private static let sheetFile = URL(filePath: #filePath).appending(
        path: "../../../Sources/Tintype/Tintype.docc/formats.png"
    )
    .standardizedFileURL

    @Test func everyFormatLooksAsOnTheSheet() throws {
        let sheet = try Self.sheet()
        if ProcessInfo.processInfo.environment["TINTYPE_WRITE_SHEET"] == "1" {
            try PNGEncoder().encode(sheet, as: .png, options: EncodeOptions()).write(to: Self.sheetFile)
        }
        let expected = try PNGDecoder().decode(try Data(contentsOf: Self.sheetFile), context: DecodeContext()).pixels
        let difference = try #require(PixelDifference(between: sheet, and: expected))
        // Other builds of the libraries of lossy formats may round differently.
        #expect(difference.maximum <= 12 && difference.mean < 0.5, "\(difference)")
    }

    @Test func everyFormatIsOnTheSheet() throws {
        var formats = Set(
            try Self.rows.flatMap(\.names).map {
                try DecodeTests.coders.info(of: FixtureManifest.named($0).data)?.format
            })
        formats.insert(.svg)
        #expect(formats == Set(DecodeTests.coders.decodableFormats))
    }

    private static func sheet() throws -> PixelBuffer {
        var rows: [(label: String, files: [Data])] = []
        for row in Self.rows { rows.append((row.label, try row.names.map { try FixtureManifest.named($0).data })) }
        rows.append(("SVG", [FormatMatrixTests.svg]))
        let size = PixelSize(
            width: gap + labelWidth + columns * (cell.width + gap), height: rows.count * (cell.height + gap) + gap)
        var pixels = [Pixel](repeating: ground, count: size.area)
        for (row, content) in rows.enumerated() {
            let top = gap + row * (cell.height + gap)
            Lettering.draw(content.label, x: gap, y: top + (cell.height - Lettering.height) / 2) { x, y in
                pixels[y * size.width + x] = Pixel(red: 255, green: 255, blue: 255)
            }
            for (column, file) in content.files.enumerated() {
                let image = try image(file)
                let left = gap + labelWidth + column * (cell.width + gap) + (cell.width - image.size.width) / 2
                let top = top + (cell.height - image.size.height) / 2
                for y in 0..<image.size.height {
                    for x in 0..<image.size.width { pixels[(top + y) * size.width + left + x] = image[x, y] }
                }
            }
        }
        return try .drawn(size) { x, y in pixels[y * size.width + x] }
    }

    private static func image(_ file: Data) throws -> PixelBuffer {
        let context = DecodeContext(options: DecodeOptions(size: .fit(cell)))
        return try DecodeTests.coders.decoder(for: file).decode(file, context: context).pixels.flattened(on: ground)
    }
}
