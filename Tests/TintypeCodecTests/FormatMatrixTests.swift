import Foundation
import Testing
import Tintype
import TintypeTesting

/// Conversion of every format to every other.
@Suite struct FormatMatrixTests {
    /// One image of each format that is decoded.
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

    @Test func everyFormatHasASource() {
        #expect(Set(Self.sources.map(\.format)) == Set(DecodeTests.coders.decodableFormats))
    }

    @Test(arguments: sources.map(\.format), DecodeTests.coders.encodableFormats)
    func everyFormatConvertsToEveryOther(_ source: ImageFormat, _ target: ImageFormat) throws {
        let coders = DecodeTests.coders
        let data = try #require(Self.sources.first { $0.format == source }).data()
        let image = try coders.decoder(for: data).decode(data, context: DecodeContext())
        let made = try coders.encode(image.pixels, as: target, options: EncodeOptions())
        let again = try coders.decoder(for: made).decode(made, context: DecodeContext())
        #expect(again.info.format == target && again.size == image.size)
        let expected = try expected(image.pixels, as: target)
        let difference = try #require(PixelDifference(between: again.pixels, and: expected))
        #expect(difference.mean <= mostLost(from: source, to: target), "\(difference)")
        if !Self.lossy.contains(target) { #expect(difference.maximum == 0) }
        #expect(again.pixels.isOpaque == expected.isOpaque)
    }

    private static let lossy: Set<ImageFormat> = [.jpeg, .heic, .gif]

    /// The largest mean change of a channel.
    private func mostLost(from source: ImageFormat, to target: ImageFormat) -> Double {
        switch (source, target) {
        case (.gif, .jpeg), (.gif, .heic): 40  // It is noise, of which half the colour is lost.
        case (_, .jpeg), (_, .heic): 12
        case (_, .gif): 4  // Palette colours and dithering.
        default: 0
        }
    }

    /// The pixels that a format can represent.
    private func expected(_ pixels: PixelBuffer, as target: ImageFormat) throws -> PixelBuffer {
        switch target {
        case .jpeg: try pixels.flattened(on: EncodeOptions().background)
        case .gif: try hardEdged(pixels)
        default: pixels
        }
    }

    /// Pixels at least half opaque become opaque, others transparent: see ``GIFEncoder``.
    private func hardEdged(_ pixels: PixelBuffer) throws -> PixelBuffer {
        let straight = try pixels.unpremultiplied()
        var writer = try PixelWriter(size: pixels.size)
        let stride = writer.bytesPerRow
        writer.withRows { rows in
            for y in 0..<pixels.size.height {
                for x in 0..<pixels.size.width {
                    let pixel = straight[x, y]
                    let isShown = pixel.alpha >= 128
                    let bytes = isShown ? [pixel.red, pixel.green, pixel.blue, 255] : [0, 0, 0, 0]
                    for (channel, byte) in bytes.enumerated() { rows[y * stride + x * 4 + channel] = byte }
                }
            }
        }
        return writer.finish()
    }
}
