import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypePNG
import TintypeTesting

/// PNG files whose pixels are inflated at once give the pixels that libpng gives row by row, as it does for previews.
@Suite struct PNGWholeTests {
    /// The colour types of 8 bits, and the bytes of a pixel.
    private static let colors: [(type: UInt8, channels: Int)] = [(0, 1), (2, 3), (3, 1), (4, 2), (6, 4)]

    /// Returns a file with random rows, whose filters follow each other, in chunks of a few bytes.
    private static func file(
        _ color: (type: UInt8, channels: Int), width: Int, extra: (String, Data)? = nil, pieces: Int = 3,
        using random: inout some RandomNumberGenerator
    ) throws -> Data {
        let height = 13
        var rows = Data()
        for y in 0..<height {
            rows.append(UInt8(y % 5))
            for _ in 0..<width * color.channels { rows.append(.random(in: 0...255, using: &random)) }
        }
        var png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        let size = PNGBuilder.bigEndian(UInt32(width)) + PNGBuilder.bigEndian(UInt32(height))
        png += PNGBuilder.chunk("IHDR", size + Data([8, color.type, 0, 0, 0]))
        if color.type == 3 {
            png += PNGBuilder.chunk("PLTE", Data((0..<256 * 3).map { _ in .random(in: 0...255, using: &random) }))
            png += PNGBuilder.chunk("tRNS", Data((0..<100).map { _ in .random(in: 0...255, using: &random) }))
        }
        let stream = try PNGBuilder.deflated(rows)
        for start in stride(from: 0, to: stream.count, by: max(1, stream.count / pieces)) {
            png += PNGBuilder.chunk("IDAT", stream.dropFirst(start).prefix(max(1, stream.count / pieces)))
        }
        if let (name, body) = extra { png += PNGBuilder.chunk(name, body) }
        return png + PNGBuilder.chunk("IEND", Data())
    }

    private static func previewed(_ png: Data) throws -> PixelBuffer {
        let previews = try #require(PNGDecoder().makeIncrementalDecoder(context: DecodeContext()))
        return try #require(try previews.append(png)).pixels
    }

    @Test(arguments: [1, 2, 3, 4, 5, 7, 8, 16, 33, 67]) func everyFilterGivesThePixelsOfLibpng(_ width: Int) throws {
        var random = SeededRandom(seed: UInt64(width))
        for color in Self.colors {
            for pieces in [1, 3] {
                let png = try Self.file(color, width: width, pieces: pieces, using: &random)
                let image = try PNGDecoder().decode(png, context: DecodeContext())
                #expect(image.pixels.rows == (try Self.previewed(png)).rows, "colour type \(color.type)")
            }
        }
    }

    /// Text after the pixels changes nothing.
    @Test func ancillaryChunksGiveThePixelsOfLibpng() throws {
        var random = SeededRandom(seed: 7)
        let png = try Self.file((2, 3), width: 21, extra: ("tEXt", Data("a\0b".utf8)), using: &random)
        #expect(try PNGDecoder().decode(png, context: DecodeContext()).pixels.rows == Self.previewed(png).rows)
    }

    /// What follows the pixels is part of the file.
    @Test func aDamagedEndIsAnErrorWithoutTolerance() throws {
        var random = SeededRandom(seed: 8)
        let png = try Self.file((6, 4), width: 9, using: &random)
        for damaged in [png.dropLast(1), png.dropLast(12), png.dropLast(4) + Data(count: 4)] {
            expectError(.undecodable) {
                try PNGDecoder().decode(damaged, context: DecodeContext())
            }
        }
        #expect(try PNGDecoder().decode(png, context: DecodeContext()).size.width == 9)
    }
}
