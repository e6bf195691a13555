import Foundation
import Testing
import TintypeCore
import TintypeJPEG
import TintypeTesting

/// CMYK in JPEG files.
@Suite struct JPEGInkTests {
    /// Returns a file without its segments of one marker.
    private func without(_ marker: UInt8, _ file: Data) -> Data {
        var (result, offset) = (Data(file.prefix(2)), 2)
        while file[offset + 1] != 0xDA {
            let end = offset + 2 + (Int(file[offset + 2]) << 8 | Int(file[offset + 3]))
            if file[offset + 1] != marker { result += file[offset..<end] }
            offset = end
        }
        return result + file[offset...]
    }

    /// Pillow, ImageMagick, libvips and ffmpeg read both in the same way.
    @Test(arguments: ["cmyk.jpg", "inks.jpg"], [DecodeOptions.Size.full, .fit(PixelSize(width: 8, height: 8))])
    func inksWithoutTheMarkerOfAdobeAreInvertedToo(_ name: String, _ size: DecodeOptions.Size) throws {
        let marked = try FixtureManifest.named(name).data
        let plain = without(0xEE, marked)
        #expect(plain.count < marked.count)
        let context = DecodeContext(options: DecodeOptions(size: size))
        let images = try [marked, plain].map { try JPEGDecoder().decode($0, context: context).pixels }
        #expect(PixelDifference(between: images[0], and: images[1])?.maximum == 0)
    }
}
