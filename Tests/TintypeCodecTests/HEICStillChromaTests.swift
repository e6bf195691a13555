import Foundation
import Testing
import Tintype
import TintypeCore
import TintypeTesting

@testable import TintypeHEIF

/// The chroma of still HEIC with fewer samples than pixels, which is interpolated. The fixtures `chroma-*.heic` compare
/// whole images with planes that ffmpeg has decoded.
@Suite struct HEICStillChromaTests {
    private let decoder = HEIFDecoder()

    private func decode(
        _ data: Data, _ options: DecodeOptions = DecodeOptions(), threads: Int = 1
    ) throws -> PixelBuffer {
        var context = DecodeContext(options: options)
        context.threads = threads
        return try decoder.decode(data, context: context).pixels
    }

    private func difference(_ pixels: PixelBuffer, _ other: PixelBuffer) -> Int? {
        PixelDifference(between: pixels, and: other)?.maximum
    }

    /// Returns an image of one colour, with chroma of 4:2:0.
    private func tile(_ color: Pixel, _ size: PixelSize) throws -> HEICBuilder.Item {
        let pixels = try PixelBuffer.filled(color, size: size)
        var options = EncodeOptions(quality: 0.98)
        options.chroma = .yuv420
        return try HEICBuilder.image(of: HEIFEncoder().encode(pixels, as: .heic, options: options))
    }

    private func gridItem(_ size: PixelSize, columns: Int, rows: Int) -> HEICBuilder.Item {
        let sides = [size.width, size.height].flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        return HEICBuilder.Item(
            kind: "grid", data: Data([0, 0, UInt8(rows - 1), UInt8(columns - 1)] + sides),
            properties: [HEICBuilder.size(size)])
    }

    // MARK: Grids

    /// Chroma changes across the edge of two tiles as within one. Of red (Y 76, Cb 85, Cr 255) and blue (Y 29, Cb 255,
    /// Cr 107), a quarter of the other makes Cb 127.5, Cr 218 and Cb 212.5, Cr 144 (JFIF's equations).
    @Test func aGridIsInterpolatedAcrossItsTiles() throws {
        let side = PixelSize(width: 64, height: 64)
        let (red, blue) = (Pixel(red: 254, green: 0, blue: 0), Pixel(red: 0, green: 0, blue: 254))
        let grid = gridItem(PixelSize(width: 128, height: 64), columns: 2, rows: 1)
        let builder = HEICBuilder(
            items: [grid, try tile(red, side), try tile(blue, side)], references: [("dimg", 1, [2, 3])])
        let pixels = try decode(builder.file)
        try #require(pixels.size == PixelSize(width: 128, height: 64))
        for (x, color) in [(62, [254, 0, 0]), (63, [202, 12, 75]), (64, [51, 0, 179]), (65, [0, 0, 254])] {
            let pixel = pixels[x, 30]
            for (value, expected) in zip([pixel.red, pixel.green, pixel.blue], color) {
                #expect(abs(Int(value) - expected) <= 3, "\(x): \(pixel), expected \(color)")
            }
        }
    }

    /// Four tiles of which the grid shows odd sides, in order.
    @Test(arguments: [1, 2, 8]) func theTilesOfAGridHaveTheirPlaces(_ threads: Int) throws {
        let side = PixelSize(width: 64, height: 64)
        let levels: [UInt8] = [40, 90, 150, 220]
        let tiles = try levels.map { try tile(Pixel(red: $0, green: 0, blue: $0), side) }
        let grid = gridItem(PixelSize(width: 101, height: 77), columns: 2, rows: 2)
        let pixels = try decode(
            HEICBuilder(items: [grid] + tiles, references: [("dimg", 1, [2, 3, 4, 5])]).file, threads: threads)
        try #require(pixels.size == PixelSize(width: 101, height: 77))
        for (level, (x, y)) in zip(levels, [(20, 20), (100, 20), (20, 76), (100, 76)]) {
            #expect(abs(Int(pixels[x, y].red) - Int(level)) <= 4)
        }
    }

    /// A tile that is rotated itself, and tiles of another sampling, are left to libheif.
    @Test func anotherCompositionIsShownByLibheif() throws {
        let side = PixelSize(width: 64, height: 64)
        var turned = try tile(Pixel(red: 200, green: 40, blue: 90), side)
        turned.properties.append(HEICBuilder.rotation(quarterTurns: 2))
        let grid = gridItem(PixelSize(width: 128, height: 64), columns: 2, rows: 1)
        let file = HEICBuilder(items: [grid, turned], references: [("dimg", 1, [2, 2])]).file
        let still = try file.withUnsafeBytes { try HEIFStill($0, item: nil) }
        #expect(still == nil)
        #expect(abs(Int(try decode(file)[90, 20].red) - 200) <= 4)
    }

    // MARK: Parts and turns

    /// A part is that of the whole image, to the last bit, also beside odd columns.
    @Test(arguments: ["chroma-420.heic", "chroma-420-10.heic", "chroma-odd.heic", "chroma-odd-turned.heic"])
    func aRegionHasThePixelsOfTheWhole(_ name: String) throws {
        let data = try FixtureManifest.named(name).data
        let (whole, part) = (try decode(data), PixelRect(x: 7, y: 5, size: PixelSize(width: 21, height: 19)))
        let region = try decode(data, DecodeOptions(crop: part))
        try #require(region.size == part.size)
        let isEqual = (0..<part.size.height).allSatisfy { y in
            (0..<part.size.width).allSatisfy { region[$0, y] == whole[part.x + $0, part.y + y] }
        }
        #expect(isEqual)
    }

    /// An image is cropped at an odd column and row: its chroma stays with its pixels.
    @Test func aCropAtOddPixelsKeepsItsChroma() throws {
        let data = try FixtureManifest.named("chroma-420.heic").data
        let whole = try decode(data)
        var image = try HEICBuilder.image(of: data)
        let size = PixelSize(width: 38, height: 30)
        image.properties.append(HEICBuilder.cleanAperture(size))
        let pixels = try decode(HEICBuilder(items: [image]).file)
        try #require(pixels.size == size)
        let isEqual = (0..<size.height).allSatisfy { y in
            (0..<size.width).allSatisfy { pixels[$0, y] == whole[13 + $0, 17 + y] }
        }
        #expect(isEqual)
    }

    /// Cropped, then turned; turned, then cropped, which libheif has to do.
    @Test(arguments: [false, true]) func aCropComesBeforeATurn(_ isReversed: Bool) throws {
        var image = try HEICBuilder.image(of: FixtureManifest.named("chroma-420.heic").data)
        let properties = [
            HEICBuilder.cleanAperture(PixelSize(width: 40, height: 20)), HEICBuilder.rotation(quarterTurns: 1),
        ]
        image.properties += isReversed ? properties.reversed() : properties
        let file = HEICBuilder(items: [image]).file
        let still = try file.withUnsafeBytes { try HEIFStill($0, item: nil) }
        #expect((still == nil) == isReversed)
        #expect(try decode(file).size == PixelSize(width: isReversed ? 40 : 20, height: isReversed ? 20 : 40))
    }

    /// The pixels of each orientation are those of the upright image, turned.
    @Test(arguments: Orientation.allCases) func everyOrientationHasThePixelsOfTheFirst(_ orientation: Orientation)
        throws
    {
        let upright = try decode(FixtureManifest.named("orientation-1.heic").data)
        let image = try decoder.decode(
            FixtureManifest.named("orientation-\(orientation.rawValue).heic").data, context: DecodeContext())
        #expect(image.info.orientation == orientation)
        // The fixtures turn the stored image, so what is shown is the turned one.
        #expect(difference(image.pixels, try upright.oriented(orientation)) == 0)
    }

    // MARK: Alpha and depth

    /// Opaque, transparent and in between, as libheif has it: the luma of the auxiliary image.
    @Test func alphaIsThatOfLibheif() throws {
        let fixture = try FixtureManifest.named("alpha.heic")
        let still = try #require(try fixture.data.withUnsafeBytes { try HEIFStill($0, item: nil) })
        #expect(still.alpha?.layout.chromaFormat == 0)
        let (pixels, expected) = (try decode(fixture.data), try #require(try fixture.expectedPixels))
        let isEqual = (0..<pixels.size.height).allSatisfy { y in
            (0..<pixels.size.width).allSatisfy { pixels[$0, y].alpha == expected[$0, y].alpha }
        }
        #expect(isEqual)
    }

    /// An image in 16 bits is that in 8 bits, with more digits.
    @Test(arguments: ["chroma-420-10.heic", "chroma-420-12.heic"]) func wordsAreBytesWithMoreDigits(_ name: String)
        throws
    {
        let data = try FixtureManifest.named(name).data
        let still = try #require(try data.withUnsafeBytes { try HEIFStill($0, item: nil) })
        let size = still.color.size
        try data.withUnsafeBytes { raw in
            let rows = try #require(try HEIFInterpolatedRows(still, raw, DecodeContext()))
            var (bytes, words) = (
                [UInt8](repeating: 0, count: 4 * size.width), [UInt16](repeating: 0, count: 4 * size.width)
            )
            for y in 0..<size.height {
                bytes.withUnsafeMutableBufferPointer { rows.read(y, into: $0) }
                words.withUnsafeMutableBufferPointer { rows.read(y, into: $0) }
                #expect(zip(bytes, words).allSatisfy { abs(Int($0) * 257 - Int($1)) <= 200 })
            }
        }
    }

    // MARK: Damage

    /// What libde265 does not decode as declared is left to libheif, whose error is reported.
    @Test func damageIsReportedByLibheif() throws {
        let whole = try FixtureManifest.named("chroma-420.heic").data
        let error = #expect(throws: TintypeError.self) { try decode(whole.prefix(whole.count * 6 / 10)) }
        #expect(error?.code == .undecodable)
    }

    /// libheif shows damaged pixels without a word, as heif-convert and ImageMagick do.
    @Test(arguments: ["chroma-420.heic", "chroma-422.heic", "alpha.heic"])
    func damagedPixelsAreAWarning(_ name: String) throws {
        let whole = try FixtureManifest.named(name).data
        #expect(try decoder.decode(whole, context: DecodeContext()).info.warnings.isEmpty)
        let start = try #require(whole.range(of: Data("mdat".utf8))).upperBound
        var noticed = 0
        for position in stride(from: start + 16, to: whole.count, by: (whole.count - start) / 24) {
            var damaged = whole
            damaged[position] ^= 0x10
            let still = try #require(try damaged.withUnsafeBytes { try HEIFStill($0, item: nil) })
            let isNoticed = damaged.withUnsafeBytes {
                (try? HEIFInterpolatedRows(still, $0, DecodeContext())) == nil
            }
            guard let image = try? decoder.decode(damaged, context: DecodeContext()) else { continue }
            noticed += isNoticed ? 1 : 0
            #expect(image.info.warnings == (isNoticed ? [.damagedPixels] : []))
            var strict = DecodeOptions()
            strict.damageTolerance = .none
            let isRefused = (try? decoder.decode(damaged, context: DecodeContext(options: strict))) == nil
            #expect(isRefused == isNoticed)
        }
        #expect(noticed > 0)
    }

    @Test func cancellingEndsTheDecoding() throws {
        let data = try FixtureManifest.named("chroma-420.heic").data
        let still = try #require(try data.withUnsafeBytes { try HEIFStill($0, item: nil) })
        let error = #expect(throws: TintypeError.self) {
            try data.withUnsafeBytes {
                _ = try HEIFInterpolatedRows(still, $0, DecodeContext(isCancelled: { true }))
            }
        }
        #expect(error?.code == .cancelled)
    }
}
