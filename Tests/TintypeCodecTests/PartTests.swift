import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

/// Decoding a part gives the same as decoding the whole image and cropping it.
@Suite struct PartTests {
    private static let files =
        (1...8).map { "orientation-\($0).jpg" } + [
            "exif-6.png", "rgba-8.png", "adam7-rgba.png", "rgb-24.bmp", "runs-4.bmp", "rgba.tiff", "orientation-6.tiff",
            "lossy-444.avif", "both.avif", "lossy.heic",
        ]

    private func decodePixels(_ name: String, _ options: DecodeOptions = DecodeOptions()) throws -> PixelBuffer {
        let data = try FixtureManifest.data(name)
        let decoder = try #require(try DecodeTests.coders.decoder(for: data) as? any PartialImageDecoder)
        return try decoder.decode(data, context: DecodeContext(options: options)).pixels
    }

    private func part(of size: PixelSize) -> PixelRect {
        PixelRect(
            x: size.width / 4, y: size.height / 3,
            size: PixelSize(width: max(1, size.width / 2), height: max(1, size.height / 3)))
    }

    @Test(arguments: files) func aPartEqualsTheCroppedImage(_ name: String) throws {
        let whole = try decodePixels(name)
        let rect = part(of: whole.size)
        let decoded = try decodePixels(name, DecodeOptions(crop: rect))
        #expect(PixelDifference(between: decoded, and: try whole.cropped(to: rect))?.maximum == 0)
    }

    /// libjpeg scales in the frequency domain, which may change pixels a little; other formats change nothing.
    @Test(arguments: files) func aResizedPartLooksLikeTheCroppedImage(_ name: String) throws {
        let whole = try decodePixels(name)
        let rect = part(of: whole.size)
        let size = PixelSize(width: max(1, rect.size.width / 3), height: max(1, rect.size.height / 3))
        let decoded = try decodePixels(name, DecodeOptions(crop: rect, size: .shrink(size)))
        let expected = try ResizeTransformer(to: size, mode: .stretch).transform(whole.cropped(to: rect))
        let difference = try #require(PixelDifference(between: decoded, and: expected))
        #expect(name.hasSuffix("jpg") ? difference.mean < 6 : difference.maximum <= 2, "\(name): \(difference)")
    }

    @Test func aPartOutsideTheImageIsAnError() {
        let outside = PixelRect(x: 100_000, y: 0, size: PixelSize(width: 5, height: 5))
        expectError(.transformFailed) { try decodePixels("rgba-8.png", DecodeOptions(crop: outside)) }
    }
}
