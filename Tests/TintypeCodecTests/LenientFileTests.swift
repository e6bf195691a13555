import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

/// Files that are seldom so, or not as they should be, of which everything to be shown is there.
@Suite struct LenientFileTests {
    private func decode(
        _ data: Data, _ tolerance: DecodeOptions.DamageTolerance = .minor
    ) throws(TintypeError) -> Image {
        var options = DecodeOptions()
        options.damageTolerance = tolerance
        return try DecodeTests.coders.decoder(for: data).decode(data, context: DecodeContext(options: options))
    }

    private static func word(_ number: Int, _ size: Int = 4) -> Data {
        Data((0..<size).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
    }

    // MARK: BMP

    /// Returns a bitmap of 4 × 1 pixels with a palette of grey levels, 10 apart.
    private static func bitmap(depth: Int, stated: Int, colors: Int, _ row: [UInt8]) -> Data {
        let palette = (0..<colors).reduce(Data()) { $0 + Data(repeating: UInt8(truncatingIfNeeded: 10 * $1), count: 4) }
        let offset = 14 + 40 + palette.count
        let header = [40, 4, 1, 1 | depth << 16, 0, 4, 0, 0, stated, 0].reduce(Data()) { $0 + word($1) }
        return Data("BM".utf8) + word(offset + 4) + word(0) + word(offset) + header + palette + Data(row)
    }

    private func levels(_ file: Data) throws -> [UInt8] {
        let pixels = try decode(file).pixels
        return (0..<4).map { pixels[$0, 0].red }
    }

    /// As in `pal2.bmp` and `pal2color.bmp` of bmpsuite.
    @Test func aBitmapMayHaveTwoBitsAPixel() throws {
        #expect(try levels(Self.bitmap(depth: 2, stated: 4, colors: 4, [0b11_00_10_01, 0, 0, 0])) == [30, 0, 20, 10])
        #expect(try levels(Self.bitmap(depth: 2, stated: 0, colors: 4, [0b01_01_00_11, 0, 0, 0])) == [10, 10, 0, 30])
    }

    /// `pal8oversizepal.bmp` and `badpalettesize.bmp` of bmpsuite.
    @Test(arguments: [300, 0x1234_5678]) func coloursOfABitmapThatNoPixelCanNameAreIgnored(_ stated: Int) throws {
        let file = Self.bitmap(depth: 8, stated: stated, colors: 300, [3, 2, 1, 0])
        #expect(try levels(file) == [30, 20, 10, 0])
    }

    // MARK: ICO

    /// An image that is longer than the directory states ends where the next one begins, or with the file.
    @Test(arguments: ["mask-24.ico", "alpha-32.ico"]) func theStatedLengthOfAnIconMayBeTooSmall(_ name: String) throws {
        let file = try FixtureManifest.named(name).data
        let whole = try decode(file)
        for length in [0, 100, file.count - 30] {
            var short = file
            short.replaceSubrange(14..<18, with: Self.word(length))
            let image = try decode(short)
            #expect(image.info == whole.info)
            #expect(PixelDifference(between: image.pixels, and: whole.pixels)?.maximum == 0)
        }
    }

    // MARK: TIFF

    /// Returns a TIFF of 16 pixels a row in one strip; black is 0, or a bit that is set in a fax.
    private static func tiff(compression: Int, bits: Int, rows: Int, _ strip: [UInt8]) -> Data {
        let entries = [
            (256, 16), (257, rows), (258, bits), (259, compression), (262, bits == 1 ? 0 : 1), (273, 134), (277, 1),
            (278, rows), (279, strip.count), (284, 1),
        ]
        var data = Data("II*\0".utf8) + word(8) + word(entries.count, 2)
        for (tag, value) in entries { data += word(tag, 2) + word(4, 2) + word(1) + word(value) }
        return data + word(0) + Data(strip)
    }

    /// Samples follow each other without padding, the highest bit first (TIFF 6.0, page 28).
    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 24]) func samplesMayHaveAnyNumberOfBits(_ depth: Int) throws {
        let top = 1 << depth - 1
        // A row of 16 pixels whose red, green and blue are 0, the middle and the maximum.
        let levels = [0, top / 2, top]
        var bits: [Bool] = []
        for index in 0..<48 {
            let level = levels[index % 3]
            // 24 bits are whole bytes in the order of the file.
            let order =
                depth == 24 ? (0..<3).flatMap { byte in (0..<8).map { 8 * byte + 7 - $0 } } : (0..<depth).reversed()
            bits += order.map { level >> $0 & 1 == 1 }
        }
        let strip = stride(from: 0, to: bits.count, by: 8).map { start in
            (0..<8).reduce(UInt8(0)) { $0 << 1 | (start + $1 < bits.count && bits[start + $1] ? 1 : 0) }
        }
        let arrays = 8 + 2 + 12 * 10 + 4
        let entries = [
            (256, 4, 1, 16), (257, 4, 1, 1), (258, 3, 3, arrays), (259, 4, 1, 1), (262, 4, 1, 2),
            (273, 4, 1, arrays + 6),
            (277, 4, 1, 3), (278, 4, 1, 1), (279, 4, 1, strip.count), (284, 4, 1, 1),
        ]
        var data = Data("II*\0".utf8) + Self.word(8) + Self.word(entries.count, 2)
        for (tag, type, count, value) in entries {
            data += Self.word(tag, 2) + Self.word(type, 2) + Self.word(count) + Self.word(value)
        }
        data += Self.word(0) + (0..<3).reduce(Data()) { data, _ in data + Self.word(depth, 2) } + Data(strip)
        let pixels = try decode(data).pixels
        let middle = Int((Double(top / 2) / Double(top) * 255).rounded())
        for x in [0, 7, 15] {
            let pixel = pixels[x, 0]
            #expect(pixel.red == 0 && abs(Int(pixel.green) - middle) <= 1 && pixel.blue == 255, "\(pixel)")
        }
    }

    /// Modified Huffman runs (ITU-T T.4, tables 2 and 3): 8 white and 8 black pixels; in the middle row, 8 and 10.
    @Test func aRowOfAFaxWithAnotherLengthIsAWarning() throws {
        let (good, long): ([UInt8], [UInt8]) = ([0b1001_1000, 0b1010_0000], [0b1001_1000, 0b0100_0000])
        let sound = try decode(Self.tiff(compression: 2, bits: 1, rows: 3, good + good + good))
        #expect(sound.info.warnings.isEmpty && sound.pixels[7, 1].red == 255 && sound.pixels[8, 1].red == 0)
        let damaged = Self.tiff(compression: 2, bits: 1, rows: 3, good + long + good)
        let image = try decode(damaged)
        #expect(image.info.warnings == [.damagedPixels])
        for y in [0, 2] {
            #expect(image.pixels[7, y] == sound.pixels[7, y] && image.pixels[8, y] == sound.pixels[8, y])
        }
        expectError(.undecodable) { try decode(damaged, .none) }
    }

    /// Codes with the lowest bit first, as programs wrote them before TIFF 6.0. libtiff only remarks on them.
    @Test func codesOfOldLZWAreNoDamage() throws {
        let levels = (0..<16).map { 15 * $0 }
        var (bits, count, strip): (Int, Int, [UInt8]) = (0, 0, [])
        for code in [256] + levels + [257] {
            bits |= code << count
            count += 9
            while count >= 8 {
                strip.append(UInt8(truncatingIfNeeded: bits))
                (bits, count) = (bits >> 8, count - 8)
            }
        }
        strip.append(UInt8(truncatingIfNeeded: bits))
        let image = try decode(Self.tiff(compression: 5, bits: 8, rows: 1, strip), .none)
        #expect(image.info.warnings.isEmpty && (0..<16).map { Int(image.pixels[$0, 0].red) } == levels)
    }
}
