import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypePNG
import TintypeTesting

/// An APNG with one frame. The default image is shown only if it is that frame (PNG third edition, 4.8).
@Suite struct HiddenDefaultTests {
    private static let red = Pixel(red: 200, green: 0, blue: 0)
    private static let green = Pixel(red: 0, green: 200, blue: 0)

    /// Red is the default image, green the frame data.
    private static func file(defaultIsFrame: Bool) throws -> Data {
        let control = PNGBuilder.chunk(
            "fcTL", [0, 1, 1, 0, 0].map(PNGBuilder.bigEndian).reduce(Data(), +) + Data([0, 1, 0, 10, 0, 0]))
        let header = [1, 1].map(PNGBuilder.bigEndian).reduce(Data(), +) + Data([8, 2, 0, 0, 0])
        var png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + PNGBuilder.chunk("IHDR", header)
        png += PNGBuilder.chunk("acTL", PNGBuilder.bigEndian(1) + PNGBuilder.bigEndian(0))
        if defaultIsFrame { png += control }
        png += PNGBuilder.chunk("IDAT", try PNGBuilder.deflated(Data([0, 200, 0, 0])))
        if !defaultIsFrame {
            png += control
            png += PNGBuilder.chunk("fdAT", PNGBuilder.bigEndian(1) + (try PNGBuilder.deflated(Data([0, 0, 200, 0]))))
        }
        return png + PNGBuilder.chunk("IEND", Data())
    }

    @Test(arguments: [true, false]) func theOneFrameIsShown(_ defaultIsFrame: Bool) throws {
        let image = try PNGDecoder().decode(Self.file(defaultIsFrame: defaultIsFrame), context: DecodeContext())
        #expect(image.pixels[0, 0] == (defaultIsFrame ? Self.red : Self.green))
        #expect(image.info.frameCount == 1 && image.animation == nil)
    }

    @Test(arguments: [true, false]) func previewsShowTheSame(_ defaultIsFrame: Bool) throws {
        let file = try Self.file(defaultIsFrame: defaultIsFrame)
        let previews = try #require(PNGDecoder().makeIncrementalDecoder(context: DecodeContext()))
        let shown = try file.indices.compactMap { try previews.append(file[$0..<$0 + 1])?.pixels[0, 0] }
        #expect(Set(shown) == [defaultIsFrame ? Self.red : Self.green])
    }

    @Test func aTruncatedFrameIsNotReplacedByTheDefaultImage() throws {
        let file = try Self.file(defaultIsFrame: false).dropLast(20)
        expectError(.undecodable) { try PNGDecoder().decode(file, context: DecodeContext()) }
        #expect(try PNGDecoder().salvage(file, context: DecodeContext()) == nil)
    }
}
