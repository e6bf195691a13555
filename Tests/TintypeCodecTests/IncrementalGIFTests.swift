import Foundation
import TestSupport
import Testing
import Tintype
import TintypeCore
import TintypeTesting

@testable import TintypeGIF

/// The first image of a GIF while its bytes arrive.
@Suite struct IncrementalGIFTests {
    private func whole(_ name: String) throws -> Image {
        try GIFDecoder().decode(FixtureManifest.named(name).data, context: DecodeContext())
    }

    @Test(arguments: [1, 7, 100]) func rowsArriveFromTheTop(_ piece: Int) throws {
        let size = PixelSize(width: 50, height: 40)
        let data = PlainGIF.bytes(size) { x, y in UInt8((x + y) % 128) }
        let whole = try GIFDecoder().decode(data, context: DecodeContext())
        let all = try GIFDecoder().previews(data, piece: piece)
        #expect(all.count > 10 && all.allSatisfy { $0.size == size && $0.animation == nil })
        let counts = all.map { image in (0..<40).prefix { image.pixels[49, $0].alpha == 255 }.count }
        #expect(counts.dropLast() == counts.dropLast().sorted()[...] && counts.last == 40)
        for (image, count) in zip(all, counts) {
            #expect((0..<count).allSatisfy { image.pixels[49, $0] == whole.pixels[49, $0] })
        }
        #expect(PixelDifference(between: try #require(all.last).pixels, and: whole.pixels)?.maximum == 0)
    }

    /// The first pass of an interlaced image shows all of it coarsely.
    @Test func theFirstPassOfAnInterlacedImageFillsItCoarsely() throws {
        let data = try FixtureManifest.named("interlaced.gif").data
        let expected = try whole("interlaced.gif").pixels
        let first = try GIFDecoder().previews(data, piece: max(1, data.count / 200)).filter { $0.info.frameCount == 1 }
        #expect(first.count > 3)
        let differences = try first.map { try #require(PixelDifference(between: $0.pixels, and: expected)).mean }
        #expect(differences.last == 0 && differences[0] > differences[differences.count / 2])
        let height = expected.size.height
        let filled = try #require(first.first { $0.pixels[0, height - 1].alpha == 255 })
        #expect(PixelDifference(between: filled.pixels, and: expected)?.maximum != 0)
    }

    /// Codes of every width, full tables, and images that do not fill their canvas, compared with giflib.
    @Test(arguments: [
        "rects.gif", "interlaced.gif", "still-87a.gif", "small-image.gif", "forever.gif",
    ]) func codesAreDecodedAsByGiflib(_ name: String) throws {
        let data = try FixtureManifest.named(name).data
        let layout = try #require(
            try data.withTypedBytes { raw throws(TintypeError) in try GIFLayout(arrived: raw, maxImages: 100) })
        for (index, image) in layout.images.enumerated() {
            try expectEqual(data, layout, image, index)
        }
    }

    @Test func longCodesAreDecodedAsByGiflib() throws {
        var random = SeededRandom(seed: 3)
        let pixels = try PixelBuffer.drawn(PixelSize(width: 200, height: 150)) { _, _ in
            Pixel(red: UInt8.random(in: 0...15, using: &random) * 16, green: 7, blue: 200)
        }
        let data = try GIFEncoder().encode(pixels, as: .gif, options: EncodeOptions())
        let layout = try #require(
            try data.withTypedBytes { raw throws(TintypeError) in try GIFLayout(arrived: raw, maxImages: 100) })
        try expectEqual(data, layout, layout.images[0], 0)
    }

    private func expectEqual(_ data: Data, _ layout: GIFLayout, _ image: GIFImage, _ index: Int) throws {
        let expected = try GIFFrameDecoder(data, layout).pixels(of: index, isCancelled: { false })
        for piece in [1, 3, 1000] {
            // The bytes before the image data, then the rest in pieces.
            let start = image.range.lowerBound + 800
            var arriving = try #require(
                data.prefix(start).withUnsafeBytes { GIFArrivingImage($0, image) })
            for offset in stride(from: start, to: image.range.upperBound, by: piece) {
                _ = arriving.append(data[offset..<min(offset + piece, image.range.upperBound)])
            }
            #expect(PixelDifference(between: try arriving.pixels(), and: expected)?.maximum == 0)
        }
    }

    @Test func anUndefinedCodeEndsAnImage() throws {
        let decoder = try #require(LZWDecoder(codeSize: 2, count: 9))
        // Clear, 1, then an undefined code, three bits each.
        decoder.decode([0b111_001_100 as UInt16].flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] })
        #expect(Array(decoder.values) == [1] && decoder.hasEnded)
        #expect(LZWDecoder(codeSize: 0, count: 9) == nil && LZWDecoder(codeSize: 9, count: 9) == nil)
    }

    /// Most codes of such streams are defined, because each bit of a random code is taken from a smaller number.
    @Test(arguments: 1...8) func codesAreDecodedAsByTheModel(_ codeSize: Int) throws {
        var random = SeededRandom.printed("LZW \(codeSize)")
        for count in [1, 7, 300, 20_000] {
            for _ in 0..<50 {
                let bytes = Self.randomCodes(codeSize, count: count, using: &random)
                var model = try #require(PlainLZW(codeSize: codeSize))
                var expected: [UInt8] = []
                model.decode(bytes) { if expected.count < count { expected.append($0) } }
                let decoder = try #require(LZWDecoder(codeSize: codeSize, count: count))
                var rest = bytes[...]
                while !rest.isEmpty {
                    let piece = Int.random(in: 1...max(1, rest.count / 2 + 1), using: &random)
                    decoder.decode(rest.prefix(piece))
                    rest = rest.dropFirst(piece)
                }
                #expect(decoder.values.elementsEqual(expected))
                #expect(decoder.hasEnded == (model.hasEnded || expected.count == count))
            }
        }
    }

    /// Returns codes that follow each other as in a file, of the widths that a decoder expects. Seldom, one is not
    /// defined.
    private static func randomCodes(_ codeSize: Int, count: Int, using random: inout SeededRandom) -> [UInt8] {
        let clear = 1 << codeSize
        var (bytes, bits, bitCount) = ([UInt8](), 0, 0)
        var (next, width, hasPrevious) = (clear + 2, codeSize + 1, false)
        for _ in 0..<count / 2 + 2 {
            var code = Int.random(in: 0..<(hasPrevious ? min(next + 1, 4096) : clear), using: &random)
            if code == clear + 1 || Int.random(in: 0..<500, using: &random) == 0 {
                code = Int.random(in: 0..<1 << width, using: &random)
            }
            bits |= code << bitCount
            bitCount += width
            while bitCount >= 8 {
                bytes.append(UInt8(truncatingIfNeeded: bits))
                (bits, bitCount) = (bits >> 8, bitCount - 8)
            }
            if code == clear {
                (next, width, hasPrevious) = (clear + 2, codeSize + 1, false)
                continue
            }
            if hasPrevious && next < 4096 { next += 1 }
            hasPrevious = true
            if next >= 1 << width && width < 12 { width += 1 }
        }
        return bytes
    }

    @Test(arguments: [1, 7, 8, 9, 30]) func everyInterlacedRowIsStoredOnce(_ height: Int) {
        let order = GIFRowOrder(height: height, isInterlaced: true)
        #expect((0..<height).map { order[$0] }.sorted() == Array(0..<height))
        #expect(order.sourceRows(storedCount: height) == (0..<height).map { $0 })
        #expect(
            order.sourceRows(storedCount: 1).prefix(8).allSatisfy { $0 == 0 }
                && order.sourceRows(storedCount: 1).dropFirst(8).allSatisfy { $0 == nil })
    }

    @Test(arguments: ["still-87a.gif", "interlaced.gif"])
    func everyFlippedByteIsAPreviewOrAnError(_ name: String) throws {
        let data = try FixtureManifest.named(name).data
        for index in stride(from: 0, to: min(data.count, 2000), by: 3) {
            var damaged = data
            damaged[index] ^= 0x55
            let previews = try #require(GIFDecoder().makeIncrementalDecoder(context: DecodeContext()))
            do throws(TintypeError) {
                for piece in [damaged.prefix(data.count / 3), damaged.dropFirst(data.count / 3)] {
                    guard let preview = try previews.append(piece) else { continue }
                    #expect(preview.pixels.size == preview.info.size)
                }
            } catch {
                #expect([.undecodable, .limitExceeded].contains(error.code), "\(index): \(error)")
            }
        }
    }

    @Test func anImageAboveTheLimitsIsRefusedBeforeItHasRows() throws {
        let data = PlainGIF.bytes(PixelSize(width: 100, height: 100)) { _, _ in 1 }
        let context = DecodeContext(limits: DecodeLimits(pixels: 1000))
        let previews = try #require(GIFDecoder().makeIncrementalDecoder(context: context))
        let error = expectError(.limitExceeded) { try previews.append(data.prefix(1000)) }
        #expect(error?.limit == .pixels)
    }
}
