import Foundation
import Testing
import TintypeCore
import TintypeTIFF
import TintypeTesting

@testable import TintypeRAW

/// Which decoder reads a raw image that begins like a TIFF. SDWebImage reads the first directory of such a file unless
/// a hint names the raw format (test 26 of its coders); here the bytes name it, and a hint can ask for the TIFF.
@Suite struct RawHintTests {
    private static let coders = ImageCoderRegistry(decoders: [TIFFDecoder(), RAWDecoder()])
    private static let dng = DNG(level: { _, _, _ in 20_000 }).data

    private func decoder(_ hint: ImageFormat?, _ use: DecodeOptions.HintUse) throws -> any ImageDecoder {
        var options = DecodeOptions()
        (options.formatHint, options.hintUse) = (hint, use)
        return try Self.coders.decoder(for: Self.dng, options: options)
    }

    @Test func aHintSelectsTheReaderOfARawImage() throws {
        #expect(try decoder(nil, .unrecognizedBytes) is RAWDecoder)
        #expect(try decoder(.tiff, .unrecognizedBytes) is RAWDecoder)
        #expect(try decoder(.raw, .always) is RAWDecoder)
        let plain = try decoder(.tiff, .always)
        #expect(plain is TIFFDecoder)
        // The first directory.
        let info = try #require(try plain.info(of: Self.dng, isComplete: true))
        #expect(info.format == .tiff && info.size == PixelSize(width: 64, height: 48))
    }

    @Test func theFileExtensionGivesTheHint() throws {
        #expect(Self.coders.format(fileExtension: "NEF") == .raw && Self.coders.format(fileExtension: "tif") == .tiff)
    }
}
