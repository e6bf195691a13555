import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

/// JPEG XL while its bytes arrive, and when it is truncated or damaged.
@Suite struct IncrementalJXLTests {
    private static let size = PixelSize(width: 600, height: 400)

    /// Noise on a gradient: incompressible, and every tile differs.
    private static func noise() throws -> PixelBuffer {
        var random = SeededRandom(seed: 11)
        return try .drawn(size) { x, y in
            Pixel(red: UInt8(40 + x / 4), green: .random(in: 60...120, using: &random), blue: UInt8(40 + y / 3))
        }
    }

    private static func encoded(_ quality: Double) throws -> Data {
        try JXLEncoder(effort: 3).encode(noise(), as: .jxl, options: EncodeOptions(quality: quality))
    }

    private func decode(_ data: Data, _ options: DecodeOptions = DecodeOptions()) throws(TintypeError) -> Image {
        try DecodeTests.coders.decoder(for: data).decodeChecked(data, context: DecodeContext(options: options))
    }

    private static var allowed: DecodeOptions {
        var options = DecodeOptions()
        options.allowsPartial = true
        return options
    }

    @Test func aLossyImageIsCoarseFirstAndThenRefined() throws {
        let data = try Self.encoded(0.8)
        let whole = try decode(data).pixels
        let all = try JXLDecoder().previews(data, piece: max(1, data.count / 30))
        #expect(all.count > 2 && all.allSatisfy { $0.size == Self.size && $0.pixels.isOpaque })
        let differences = try all.map { try #require(PixelDifference(between: $0.pixels, and: whole)).mean }
        #expect(
            differences[0] < 30 && zip(differences, differences.dropFirst()).allSatisfy { $0 > $1 }, "\(differences)")
        #expect(differences.last == 0)
    }

    @Test func aLosslessImageArrivesTileByTile() throws {
        let data = try Self.encoded(1)
        let whole = try decode(data).pixels
        let half = try #require(try JXLDecoder().previews(data.prefix(data.count / 2), piece: 5000).last)
        #expect(half.pixels[5, 5] == whole[5, 5] && half.pixels[599, 399].alpha == 0)
        let last = try #require(try JXLDecoder().previews(data, piece: 5000).last)
        #expect(PixelDifference(between: last.pixels, and: whole)?.maximum == 0)
    }

    @Test(arguments: [1, 100, 1_000_000]) func theLastPreviewIsTheWholeImage(_ piece: Int) throws {
        for name in (1...8).map({ "orientation-\($0).jxl" }) + [
            "lossless-alpha.jxl", "lossy.jxl", "p3.jxl", "grey.jxl",
        ] {
            let data = try FixtureManifest.named(name).data
            let whole = try decode(data)
            let all = try JXLDecoder().previews(data, piece: piece)
            let last = try #require(all.last, "\(name)")
            #expect(PixelDifference(between: last.pixels, and: whole.pixels)?.maximum == 0, "\(name)")
            #expect(all.allSatisfy { $0.size == whole.size && $0.info.orientation == whole.info.orientation })
        }
    }

    @Test func aHighRangeImageIsPreviewedWithItsFinalColours() throws {
        let data = try FixtureManifest.named("pq.jxl").data
        let last = try #require(try JXLDecoder().previews(data, piece: 50).last)
        #expect(PixelDifference(between: last.pixels, and: try decode(data).pixels)?.maximum == 0)
    }

    @Test func eachPreviewShowsMoreAndHasTheRequestedSize() throws {
        let data = try Self.encoded(0.8)
        let box = PixelSize(width: 60, height: 60)
        let all = try JXLDecoder().previews(data, piece: 100, DecodeOptions(size: .fit(box)))
        #expect(all.allSatisfy { $0.size == Self.size.fitted(into: box) })
        for (earlier, later) in zip(all, all.dropFirst()) {
            #expect(PixelDifference(between: earlier.pixels, and: later.pixels)?.maximum != 0)
        }
        // One piece of 100 bytes at a time, but far fewer previews.
        #expect(all.count < data.count / 400)
    }

    @Test func framesOfAnAnimationAreShownAsTheyArrive() throws {
        let data = try FixtureManifest.named("rects.jxl").data
        let counts = try JXLDecoder().previews(data, piece: 100).map(\.info.frameCount)
        #expect(counts.count > 3 && zip(counts, counts.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test(arguments: [0.8, 1]) func theArrivedPartOfATruncatedImageIsShown(_ quality: Double) throws {
        let data = try Self.encoded(quality)
        let whole = try decode(data)
        let cut = data.prefix(data.count * 3 / 5)
        expectError(.undecodable) { try decode(cut) }
        let part = try decode(cut, Self.allowed)
        #expect(part.isPartial && part.size == whole.size && part.info == whole.info)
        #expect(part.pixels[5, 5] == whole.pixels[5, 5])
        #expect(part.pixels[599, 399].alpha == (quality == 1 ? 0 : 255))
        expectError(.undecodable) { try decode(data.prefix(60), Self.allowed) }
    }

    @Test func thePartBeforeDamageIsShown() throws {
        let whole = try decode(Self.encoded(1))
        var salvagedCount = 0
        for fifth in [3, 4] {
            var data = try Self.encoded(1)
            for index in data.count * fifth / 5..<data.count * fifth / 5 + 200 { data[index] = 0xFF }
            guard (try? decode(data)) == nil else { continue }
            let part = try decode(data, Self.allowed)
            #expect(part.isPartial && part.pixels[5, 5] == whole.pixels[5, 5])
            salvagedCount += 1
        }
        #expect(salvagedCount > 0)
    }

    @Test func theCompleteFramesOfATruncatedAnimationAreShown() throws {
        let data = try FixtureManifest.named("rects.jxl").data
        let whole = try #require(try decode(data).animation)
        let image = try decode(data.prefix(data.count * 3 / 4), Self.allowed)
        let part = try #require(image.animation)
        #expect(image.isPartial && part.frameCount > 1 && part.frameCount < whole.frameCount)
        for index in 0..<part.frameCount {
            #expect(PixelDifference(between: try part.frame(at: index), and: try whole.frame(at: index))?.maximum == 0)
        }
    }

    @Test(arguments: ["lossy.jxl", "lossless-alpha.jxl", "container.jxl", "rects.jxl"])
    func everyFlippedByteIsAPartOrAnError(_ name: String) throws {
        let data = try FixtureManifest.named(name).data
        for index in stride(from: 0, to: data.count, by: name == "rects.jxl" ? 37 : 3) {
            var damaged = data
            damaged[index] ^= 0x55
            let previews = try #require(JXLDecoder().makeIncrementalDecoder(context: DecodeContext()))
            _ = try? previews.append(damaged.prefix(data.count / 2))
            _ = try? previews.append(damaged.dropFirst(data.count / 2))
            do throws(TintypeError) {
                _ = try decode(damaged, Self.allowed)
            } catch {
                #expect([.undecodable, .notAnImage, .limitExceeded].contains(error.code))
            }
        }
    }

    /// libjxl must not be used again after an error.
    @Test func afterAnErrorEveryAppendThrows() throws {
        var data = try Self.encoded(1)
        for index in 2000..<4000 { data[index] = 0xFF }
        let previews = try #require(JXLDecoder().makeIncrementalDecoder(context: DecodeContext()))
        _ = try previews.append(data.prefix(1000))
        expectError(.undecodable) {
            for start in stride(from: 1000, to: data.count, by: 5000) {
                _ = try previews.append(data.dropFirst(start).prefix(5000))
            }
        }
        for _ in 0..<3 { expectError(.undecodable) { try previews.append(Data(count: 100_000)) } }
    }

    @Test func limitsApplyToPreviewsAndSalvage() throws {
        let data = try Self.encoded(0.5)
        let context = DecodeContext(options: Self.allowed, limits: DecodeLimits(pixels: 100))
        let previews = try #require(JXLDecoder().makeIncrementalDecoder(context: context))
        let error = expectError(.limitExceeded) { try previews.append(data) }
        #expect(error?.limit == .pixels)
        expectError(.limitExceeded) { try JXLDecoder().salvage(data.dropLast(20), context: context) }
    }
}
