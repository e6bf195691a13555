import Foundation
import TintypeAVIF
import TintypeBMP
import TintypeCore
import TintypeGIF
import TintypeHEIF
import TintypeICO
import TintypeJPEG
import TintypeJXL
import TintypePNG
import TintypeTIFF
import TintypeWebP

/// Decodes one image at full size, prints the peak memory of the process in bytes, and exits.
/// `scripts/bench/measure-decoder-memory` compares images with a small one.
///
/// Arguments: the file, and the range of the result, `standard` or `high`.
@main
struct DecodeMemory {
    private static let coders = ImageCoderRegistry(
        decoders: [
            AVIFDecoder(), BMPDecoder(), GIFDecoder(), HEIFDecoder(), ICODecoder(), JPEGDecoder(), JXLDecoder(),
            PNGDecoder(), TIFFDecoder(), WebPDecoder(),
        ],
        encoders: [])

    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let range = range(arguments[2]) else {
            throw TintypeError(.invalidSource, stage: .request, "usage: DecodeMemory FILE standard|high")
        }
        let bytes = try Data(contentsOf: URL(filePath: arguments[1]))
        let image = try coders.decoder(for: bytes).decode(
            bytes, context: DecodeContext(options: DecodeOptions(range: range)))
        // Both are alive until here, as in a program that shows the image.
        try withExtendedLifetime((bytes, image)) { print(try peak()) }
    }

    private static func range(_ name: String) -> DecodeOptions.DynamicRange? {
        switch name {
        case "standard": .standard
        case "high": .high
        default: nil
        }
    }

    /// Returns the peak memory in bytes. `getrusage` would include the program that started this one.
    private static func peak() throws -> Int {
        let status = try String(contentsOf: URL(filePath: "/proc/self/status"), encoding: .utf8)
        let words = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }?.split { $0.isWhitespace }
        guard let words, words.count > 1, let kilobytes = Int(words[1]) else {
            throw TintypeError(.undecodable, stage: .request, "/proc/self/status does not state the peak memory")
        }
        return kilobytes * 1024
    }
}
