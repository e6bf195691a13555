import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeHEIF

/// Still HEIC whose chroma is interpolated, and whose memory would be out of proportion to their size.
@Suite(.timeLimited) struct HEICStillLimitTests {
    private let side = PixelSize(width: 64, height: 64)

    /// Returns an image with chroma of 4:2:0.
    private func image(_ size: PixelSize) throws -> HEICBuilder.Item {
        var options = EncodeOptions(quality: 0.9)
        options.chroma = .yuv420
        let pixels = try PixelBuffer.filled(Pixel(red: 200, green: 40, blue: 90), size: size)
        return try HEICBuilder.image(of: HEIFEncoder().encode(pixels, as: .heic, options: options))
    }

    /// Decodes an image of one item with libde265 alone.
    private func decode(_ image: HEICBuilder.Item) throws -> PixelSize {
        try HEICBuilder(items: [image]).file.withUnsafeBytes { raw in
            let still = try #require(try HEIFStill(raw, item: nil))
            return try #require(try HEIFInterpolatedRows(still, raw, DecodeContext())).size
        }
    }

    /// Returns the parameter sets of an image, as units that follow their length.
    private func parameterSets(_ image: HEICBuilder.Item) throws -> Data {
        try HEICBuilder(items: [image]).file.withUnsafeBytes { raw in
            let still = try #require(try HEIFStill(raw, item: nil))
            return still.color.tiles[0].parameterSets.reduce(into: Data()) { units, set in
                units += PNGBuilder.bigEndian(UInt32(set.count)) + Data(raw[set])
            }
        }
    }

    /// A grid that shows a corner of a large tile.
    @Test func tilesBeyondALimitAreRefused() throws {
        let grid = HEICBuilder.Item(
            kind: "grid", data: Data([0, 0, 0, 0, 0, 64, 0, 64]), properties: [HEICBuilder.size(side)])
        let tile = try image(PixelSize(width: 256, height: 128))
        let file = HEICBuilder(items: [grid, tile], references: [("dimg", 1, [2])]).file
        var context = DecodeContext()
        context.limits.pixels = 256 * 128
        #expect(try HEIFDecoder().decode(file, context: context).size == side)
        context.limits.pixels -= 1
        #expect(expectError(.limitExceeded) { try HEIFDecoder().decode(file, context: context) }?.limit == .pixels)
        (context.limits.pixels, context.limits.side) = (256 * 128, 255)
        #expect(expectError(.limitExceeded) { try HEIFDecoder().decode(file, context: context) }?.limit == .side)
    }

    /// A parameter set in the coded image, which the right ones replace again.
    @Test func largerParameterSetsInTheCodedImageAreRefused() throws {
        let plain = try image(side)
        for (size, isAccepted) in [(side, true), (PixelSize(width: 512, height: 64), false)] {
            var changed = plain
            changed.data = try parameterSets(image(size)) + parameterSets(plain) + plain.data
            guard !isAccepted else {
                #expect(try decode(changed) == side)
                continue
            }
            let error = expectError(.undecodable) { try decode(changed) }
            #expect(error?.message.contains("larger than declared") == true)
        }
    }

    /// Filler data (ITU-T H.265, 7.3.2.8) before the image, many times.
    @Test func extentsThatOverlapAreNotJoinedBeyondTheFile() throws {
        let plain = try image(side)
        let filler = Data([0, 0, 3, 0xEB, 0x4C, 1]) + Data(repeating: 0xFF, count: 1000) + Data([0x80])
        var changed = plain
        changed.data = filler + plain.data
        let (start, rest) = (0..<filler.count, filler.count..<changed.data.count)
        changed.extents = [start, rest]
        #expect(try decode(changed) == side)
        changed.extents = Array(repeating: start, count: 20) + [rest]
        expectError(.undecodable) { try decode(changed) }
    }
}
