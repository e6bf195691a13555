import Foundation
import Testing
import Tintype
import TintypeTesting

/// Every format to every other.
@Suite struct FormatMatrixTests {
    /// One picture of each format that is decoded.
    static let sources: [(format: ImageFormat, data: @Sendable () throws -> Data)] = [
        fixture(.avif, "lossy-444.avif"), fixture(.bmp, "rgba-v4.bmp"), fixture(.gif, "rects.gif"),
        fixture(.heic, "sequence.heics"), fixture(.ico, "alpha-32.ico"), fixture(.jpeg, "p3.jpg"),
        fixture(.jxl, "lossless-alpha.jxl"), fixture(.png, "palette-trns.png"),
        (.svg, { svg }), fixture(.tiff, "rgb-16.tiff"), fixture(.webp, "lossy-alpha.webp"),
    ]

    static let svg = Data(
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="48" height="32"><rect width="48" height="32" fill="#246"/>\
        <circle cx="24" cy="16" r="12" fill="#fc0"/></svg>
        """.utf8)

    private static func fixture(
        _ format: ImageFormat, _ name: String
    ) -> (format: ImageFormat, data: @Sendable () throws -> Data) {
        (format, { try FixtureManifest.named(name).data })
    }

    @Test func thereIsASourceOfEveryFormat() {
        #expect(Set(Self.sources.map(\.format)) == Set(DecodeTests.coders.decodableFormats))
    }

    @Test(arguments: sources.map(\.format), DecodeTests.coders.encodableFormats)
    func everyFormatBecomesEveryOther(_ source: ImageFormat, _ target: ImageFormat) throws {
        let coders = DecodeTests.coders
        let data = try #require(Self.sources.first { $0.format == source }).data()
        let image = try coders.decoder(for: data).decode(data, DecodeContext())
        let made = try coders.encode(image.pixels, as: target, EncodeOptions())
        let again = try coders.decoder(for: made).decode(made, DecodeContext())
        #expect(again.info.format == target && again.size == image.size)
        let isOpaque = target == .jpeg
        let expected = isOpaque ? try image.pixels.flattened(on: EncodeOptions().background) : image.pixels
        let difference = try #require(PixelDifference(again.pixels, expected))
        // The GIF is noise, of which half the colour is lost; a GIF has a palette, and no translucent pixels.
        let bound = target == .gif ? 90.0 : source == .gif ? 40 : 12
        let loses = [.jpeg, .heic, .gif].contains(target)
        #expect(loses ? difference.mean < bound : difference.maximum == 0, "\(difference)")
        #expect(again.pixels.isOpaque == expected.isOpaque)
    }
}
