import Foundation
import Testing
import Tintype
import TintypeCore
import TintypeTesting

/// Still images of every format with previews.
@Suite struct IncrementalFormatTests {
    private func previews(
        _ data: Data, piece: Int, _ options: DecodeOptions = DecodeOptions()
    ) throws -> [Image] {
        try DecodeTests.coders.decoder(for: data).previews(data, piece: piece, options)
    }

    static let names = [
        "pillow-rgba.png", "adam7-rgba.png", "palette-trns.png", "rgb-16.png", "exif-6.png", "lossless.webp",
        "lossy.webp", "lossy-alpha.webp",
    ]

    @Test(arguments: names, [1, 100, 1_000_000]) func theLastPreviewIsTheFullImage(_ name: String, _ piece: Int) throws
    {
        let data = try FixtureManifest.named(name).data
        let whole = try DecodeTests.coders.decoder(for: data).decode(data, context: DecodeContext())
        let last = try #require(try previews(data, piece: piece).last)
        #expect(PixelDifference(between: last.pixels, and: whole.pixels)?.maximum == 0)
        #expect(last.info == whole.info)
    }

    /// A preview that equals the previous one costs time for nothing.
    @Test(arguments: names) func aPreviewShowsMoreThanThePreviousOne(_ name: String) throws {
        let data = try FixtureManifest.named(name).data
        let all = try previews(data, piece: max(1, data.count / 20))
        for (earlier, later) in zip(all, all.dropFirst()) {
            #expect(PixelDifference(between: earlier.pixels, and: later.pixels)?.maximum != 0)
        }
        // The bytes after the pixels add nothing.
        #expect(all.count <= 20)
    }

    @Test func rowsAppearFromTheTopAndTheRestIsTransparent() throws {
        let data = try FixtureManifest.named("pillow-rgba.png").data
        let first = try #require(try previews(data.prefix(data.count / 2), piece: data.count).last)
        #expect(first.pixels[0, first.size.height - 1].alpha == 0)
    }

    /// The first pass of an interlaced image shows all of it, coarsely.
    @Test func theFirstPassFillsTheWholeImage() throws {
        let data = try FixtureManifest.named("adam7-rgba.png").data
        let whole = try DecodeTests.coders.decoder(for: data).decode(data, context: DecodeContext())
        let all = try previews(data, piece: max(1, data.count / 40))
        #expect(all.count > 5)
        let differences = try all.map { try #require(PixelDifference(between: $0.pixels, and: whole.pixels)).mean }
        #expect(differences.last == 0 && differences[differences.count / 2] < differences[0])
    }

    @Test(arguments: names) func previewsHaveTheRequestedSize(_ name: String) throws {
        let data = try FixtureManifest.named(name).data
        let box = PixelSize(width: 10, height: 10)
        for image in try previews(data, piece: 50, DecodeOptions(size: .fit(box))) {
            #expect(image.size == image.info.size.fitted(into: box))
        }
    }

    @Test(arguments: ["rects.png", "rects.webp", "rects.gif"]) func animationsAreShownFrameByFrame(_ name: String)
        throws
    {
        let data = try FixtureManifest.named(name).data
        let all = try previews(data, piece: 100).map(\.info.frameCount)
        // The first frame may arrive row by row.
        let counts = all.drop { $0 == 1 }
        #expect(counts.count > 3 && zip(counts, counts.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func aWebPOfUnknownOrientationHasNoPreviews() throws {
        let data = try FixtureManifest.named("exif-6.webp").data
        #expect(try previews(data, piece: 100).isEmpty)
    }

    @Test(arguments: ["rgba-8.png", "adam7-3x2.png", "lossless.webp", "lossy.webp"])
    func anyFlippedByteYieldsAPreviewOrAnError(_ name: String) throws {
        let data = try FixtureManifest.named(name).data
        for index in data.indices.sampled(name) {
            var damaged = data
            damaged[index] ^= 0x55
            guard let decoder = try? DecodeTests.coders.decoder(for: damaged),
                let previews = decoder.makeIncrementalDecoder(context: DecodeContext())
            else { continue }
            do throws(TintypeError) {
                for half in [damaged.prefix(data.count / 2), damaged.dropFirst(data.count / 2)] {
                    if let preview = try previews.append(half) { #expect(preview.pixels.size.isPositive) }
                }
            } catch {
                #expect(error.code != .cancelled && error.code != .outOfMemory, "byte \(index): \(error)")
            }
        }
    }

    /// libpng starts again at the second position, where it would lose what the first one left.
    @Test(arguments: [1, 1_000_000]) func separatedPixelChunksOfAPNGAreAnErrorWhereDetected(_ piece: Int) throws {
        let pixels = PNGBuilder.chunk("IDAT", try PNGBuilder.deflated(Data([0, 10, 20, 30])))
        let data = try PNGBuilder.image(
            with: ("IDAT", PNGBuilder.deflated(Data([0, 10, 20, 30]))), ("tEXt", Data("a\0b".utf8)))
        #expect(data.ranges(of: pixels).count == 2)
        let previews = try #require(PNGDecoder().makeIncrementalDecoder(context: DecodeContext()))
        for start in stride(from: 0, to: data.count, by: piece) {
            guard (try? previews.append(data.dropFirst(start).prefix(piece))) != nil else { return }
        }
    }
}
