import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

/// HEIC sequences with an alpha track. ``AnimationTests`` compares the frames with those of a reference decoder.
@Suite struct HEICSequenceAlphaTests {
    private let decoder = HEIFDecoder()

    private func file() throws -> Data { try FixtureManifest.named("sequence-alpha.heics").data }

    private func range(of text: String, in data: Data) throws -> Range<Int> {
        try #require(data.firstRange(of: Data(text.utf8)))
    }

    private func frames(_ data: Data) throws -> [PixelBuffer] {
        let animation = try #require(try decoder.decode(data, context: DecodeContext()).animation)
        return try (0..<animation.frameCount).map { try animation.frame(at: $0) }
    }

    /// The fixture with `text` replaced by other letters of the same length.
    private func file(replacing text: String, by other: String) throws -> Data {
        var data = try file()
        data.replaceSubrange(try range(of: text, in: data), with: Data(other.utf8))
        return data
    }

    @Test func infoReportsAlpha() throws {
        #expect(try decoder.info(of: file(), isComplete: true)?.hasAlpha == true)
        #expect(try decoder.decode(file(), context: DecodeContext()).info.hasAlpha)
    }

    /// Such as a depth track, or one that belongs to no other track.
    @Test(arguments: [("auxiliary:alpha", "auxiliary:depth"), ("auxl", "cdsc"), ("auxv", "pict"), ("auxi", "free")])
    func otherTracksAreNotUsedAsAlpha(_ text: String, _ other: String) throws {
        let data = try file(replacing: text, by: other)
        #expect(try decoder.info(of: data, isComplete: true)?.hasAlpha == false)
        let opaque = try frames(data)
        let translucent = try frames(file())
        #expect(opaque.count == translucent.count)
        #expect(opaque.allSatisfy { $0.isOpaque } && translucent.allSatisfy { !$0.isOpaque })
    }

    @Test func theAlphaTypeOfTheFirstEditionIsRecognized() throws {
        let name = "urn:mpeg:hevc:2015:auxid:1\0"
        let known = "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha"
        let data = try file(replacing: known, by: name + String(repeating: "x", count: known.count - name.count))
        #expect(try decoder.info(of: data, isComplete: true)?.hasAlpha == true)
    }

    @Test func alphaWithAnotherSizeOrFewerImagesIsRefused() throws {
        let first = try range(of: "hvc1", in: file()).upperBound
        var data = try file()
        let entry = try #require(data[first...].firstRange(of: Data("hvc1".utf8))).upperBound
        data[entry + 25] -= 1
        expectError(.undecodable) { try decoder.info(of: data, isComplete: true) }
        data = try file()
        let table = try #require(data[first...].firstRange(of: Data("auxv".utf8))).upperBound
        for (kind, offset) in [("stsz", 8), ("stts", 8)] {
            let found = try #require(data[table...].firstRange(of: Data(kind.utf8))).upperBound
            data.setNumber(data.number(at: found + offset) - 1, at: found + offset)
        }
        expectError(.undecodable) { try decoder.info(of: data, isComplete: true) }
    }

    /// A `prem` reference to the alpha track means that colours are premultiplied (ISO/IEC 23008-12, 6.10.1).
    @Test func premultipliedColoursAreNotMultipliedAgain() throws {
        var data = try file()
        let header = try range(of: "tkhd", in: data).lowerBound - 4
        let reference =
            Data([0, 0, 0, 20]) + Data("tref".utf8) + Data([0, 0, 0, 12]) + Data("prem".utf8) + Data([0, 0, 0, 2])
        try data.insert(reference, intoFirstTrackAt: header + data.number(at: header))
        let shown = try frames(data)
        let opaque = try frames(file(replacing: "auxi", by: "free"))
        for (frame, colors) in zip(shown, opaque) {
            for y in 0..<frame.size.height {
                for x in 0..<frame.size.width where frame[x, y].alpha > 0 {
                    let (pixel, stored) = (frame[x, y], colors[x, y])
                    #expect(abs(Int(pixel.green) - Int(min(stored.green, pixel.alpha))) <= 1)
                    #expect(abs(Int(pixel.red) - Int(min(stored.red, pixel.alpha))) <= 1)
                }
            }
        }
    }

    /// A truncated file shows the frames whose colours and alpha are both complete.
    @Test func theCompleteFramesOfATruncatedSequenceAreShown() throws {
        let (data, whole) = (try file(), try frames(file()))
        var counts: Set<Int> = []
        for count in stride(from: data.count / 2, to: data.count, by: 37) {
            let image = try? decoder.salvage(data.prefix(count), context: DecodeContext())
            guard let image else { continue }
            let shown = try image.animation.map { animation in
                try (0..<animation.frameCount).map { try animation.frame(at: $0) }
            }
            let images = shown ?? [image.pixels]
            for (index, image) in images.enumerated() {
                #expect(PixelDifference(between: image, and: whole[index])?.maximum == 0)
            }
            counts.insert(images.count)
        }
        #expect(counts.count > 1 && counts.isSubset(of: [1, 2, 3, 4, 5]), "\(counts)")
    }

    @Test func limitsApplyToAlphaToo() throws {
        let error = expectError(.limitExceeded) {
            try decoder.decode(file(), context: DecodeContext(limits: DecodeLimits(frames: 4)))
        }
        #expect(error?.limit == .frames)
    }
}
