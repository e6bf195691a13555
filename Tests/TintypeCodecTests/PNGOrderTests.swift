import Foundation
import Testing
import TintypeCore
import TintypePNG

/// Chunks of a PNG where the specification does not want them, or not as many.
@Suite struct PNGOrderTests {
    private static func exif(orientation: UInt8) -> Data {
        Data("II*\0".utf8) + Data([8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0, 0, 0, 0, 0])
    }

    /// ImageMagick writes them there; Pillow and ffmpeg honour them.
    @Test func exifDataAfterThePixelsCount() throws {
        let plain = try PNGBuilder.image()
        let late = PNGBuilder.chunk("eXIf", Self.exif(orientation: 6))
        let file = plain.dropLast(12) + late + plain.suffix(12)
        let image = try PNGDecoder().decode(file, context: DecodeContext())
        #expect(image.info.orientation == .right && image.info.warnings == [.lateExif])
        #expect(try PNGDecoder().info(of: file, isComplete: true) == image.info)
        // Those before the pixels come first.
        let early = try PNGBuilder.image(with: ("eXIf", Self.exif(orientation: 3)))
        let both = try PNGDecoder().decode(early.dropLast(12) + late + early.suffix(12), context: DecodeContext())
        #expect(both.info.orientation == .down && both.info.warnings.isEmpty)
    }

    /// Pillow, ImageMagick and ffmpeg show them.
    @Test(arguments: ["prVt", "tEXt", "iTXt", "sPLT", "caBX"], [1, 90])
    func chunksThatAreNotNeededAreSkippedWhateverTheirSize(_ name: String, _ count: Int) throws {
        let prefix = Data(name == "iTXt" ? "XML:com.adobe.xmp\0\0\0\0\0".utf8 : "Name\0\u{8}".utf8)
        let body = prefix + Data(repeating: 0x61, count: 9 << 20 / count / 6 * 6)
        let chunks = [(String, Data)](repeating: (name, body), count: count)
        let file = try PNGBuilder.image(with: chunks)
        let plain = try PNGDecoder().decode(PNGBuilder.image(), context: DecodeContext())
        let image = try PNGDecoder().decode(file, context: DecodeContext())
        #expect(file.count > 9_000_000 && image.pixels[0, 0] == plain.pixels[0, 0])
        #expect(image.pixels[0, 0] == Pixel(red: 10, green: 20, blue: 30) && image.info.warnings.isEmpty)
        #expect(try PNGDecoder().info(of: file, isComplete: true) == image.info)
    }

    /// Pillow shows as many frames as the acTL chunk counts.
    @Test func framesThatAreNotCountedAreIgnored() throws {
        var file = try FixtureManifest.named("animated.png").data
        let whole = try #require(try PNGDecoder().decode(file, context: DecodeContext()).animation)
        let count = try #require(file.firstRange(of: Data("acTL".utf8)))
        let body =
            PNGBuilder.bigEndian(UInt32(whole.frameCount - 1)) + file[count.upperBound + 4..<count.upperBound + 8]
        file.replaceSubrange(count.lowerBound - 4..<count.upperBound + 12, with: PNGBuilder.chunk("acTL", body))
        let animation = try #require(try PNGDecoder().decode(file, context: DecodeContext()).animation)
        #expect(animation.frameCount == whole.frameCount - 1)
        _ = try animation.frame(at: animation.frameCount - 1)
    }
}
