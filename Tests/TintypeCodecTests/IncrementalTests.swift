import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeJPEG
import TintypeTesting

@Suite struct IncrementalTests {
    private func previews(_ name: String, piece: Int, _ size: DecodeOptions.Size = .full) throws -> [Image] {
        try JPEGDecoder().previews(FixtureManifest.named(name).data, piece: piece, DecodeOptions(size: size))
    }

    @Test(arguments: [1, 100, 5000, 1_000_000]) func theLastPreviewIsTheFullImage(_ piece: Int) throws {
        for name in ["progressive.jpg", "baseline-420.jpg", "large-progressive.jpg", "large-baseline.jpg"] {
            let data = try FixtureManifest.named(name).data
            let whole = try JPEGDecoder().decode(data, context: DecodeContext())
            let last = try #require(try previews(name, piece: piece).last)
            #expect(PixelDifference(between: last.pixels, and: whole.pixels)?.maximum == 0)
        }
    }

    /// Colour may arrive in a separate scan, which ends smoothing, so a step back of a few per cent is allowed.
    @Test func previewsConvergeToTheImage() throws {
        let data = try FixtureManifest.named("large-progressive.jpg").data
        let whole = try JPEGDecoder().decode(data, context: DecodeContext())
        let differences = try previews("large-progressive.jpg", piece: 500).map {
            try #require(PixelDifference(between: $0.pixels, and: whole.pixels)).mean
        }
        #expect(differences.count >= 5)
        #expect(zip(differences, differences.dropFirst()).allSatisfy { $1 <= $0 * 1.15 }, "\(differences)")
        #expect(differences.last == 0)
    }

    @Test func rowsThatHaveNotArrivedAreTransparent() throws {
        let first = try #require(try previews("large-baseline.jpg", piece: 8000).first)
        #expect(first.pixels[0, first.size.height - 1].alpha == 0)
    }

    @Test func previewsHaveTheRequestedSize() throws {
        let box = PixelSize(width: 100, height: 100)
        for image in try previews("large-progressive.jpg", piece: 3000, .fit(box)) {
            #expect(image.size == image.info.size.fitted(into: box))
        }
    }

    @Test func anyFlippedByteYieldsAPreviewOrAnError() throws {
        let data = try FixtureManifest.named("progressive.jpg").data
        for index in data.indices.sampled("progressive.jpg") {
            var damaged = data
            damaged[index] ^= 0x55
            let decoder = try #require(JPEGDecoder().makeIncrementalDecoder(context: DecodeContext()))
            do throws(TintypeError) {
                for piece in [damaged.prefix(300), damaged.dropFirst(300)] {
                    if let preview = try decoder.append(piece) { #expect(preview.pixels.size.isPositive) }
                }
            } catch {
                #expect(error.code != .cancelled && error.code != .outOfMemory, "byte \(index): \(error)")
            }
        }
    }

    /// Found by `make fuzz`: libjpeg takes over the width, here 0, before it notices that there was a header already.
    @Test func aSecondHeaderIsAnErrorAtAnyPieceBoundary() throws {
        let data = try FixtureManifest.named("progressive.jpg").data
        let scan = Data([0xFF, 0xDA])
        let first = try #require(data.firstRange(of: scan))
        let second = try #require(data[first.upperBound...].firstRange(of: scan)).lowerBound
        let header = Data([0xFF, 0xC2, 0, 0x11, 8, 0, 0, 0, 0, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1])
        for cut in 0...header.count {
            let decoder = try #require(JPEGDecoder().makeIncrementalDecoder(context: DecodeContext()))
            expectError(.undecodable) {
                _ = try decoder.append(data[..<second] + header.prefix(cut))
                _ = try decoder.append(header.dropFirst(cut) + data[second...])
            }
        }
    }
}
