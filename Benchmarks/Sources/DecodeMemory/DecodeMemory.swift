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
/// Arguments: the file, and a ``Mode``.
@main
struct DecodeMemory {
    private static let coders = ImageCoderRegistry(
        decoders: [
            AVIFDecoder(), BMPDecoder(), GIFDecoder(), HEIFDecoder(), ICODecoder(), JPEGDecoder(), JXLDecoder(),
            PNGDecoder(), TIFFDecoder(), WebPDecoder(),
        ],
        encoders: [])

    /// How the image is decoded.
    private enum Mode: String {
        /// The whole image, in the standard range.
        case standard
        /// The whole image, in the high range.
        case high
        /// The previews of an image that arrives in parts.
        case preview
        /// What remains of an image whose second half is missing.
        case salvage
    }

    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let mode = Mode(rawValue: arguments[2]) else {
            throw TintypeError(
                .invalidSource, stage: .request, "usage: DecodeMemory FILE standard|high|preview|salvage")
        }
        let bytes = try Data(contentsOf: URL(filePath: arguments[1]))
        let image = try decode(bytes, mode)
        // Both are alive until here, as in a program that shows the image.
        try withExtendedLifetime((bytes, image)) { print(try peak()) }
    }

    private static func decode(_ bytes: Data, _ mode: Mode) throws -> Image? {
        let decoder = try coders.decoder(for: bytes)
        let context = DecodeContext()
        switch mode {
        case .standard: return try decoder.decode(bytes, context: context)
        case .high: return try decoder.decode(bytes, context: DecodeContext(options: DecodeOptions(range: .high)))
        case .preview: return try lastPreview(of: bytes, decoder, context)
        case .salvage:
            guard let decoder = decoder as? any SalvagingImageDecoder else { throw unsupported("salvage") }
            return try decoder.salvage(bytes.prefix(bytes.count / 2), context: context)
        }
    }

    /// Decodes previews until all bytes have arrived. The last preview is shown while the next one is decoded.
    private static func lastPreview(
        of bytes: Data, _ decoder: any ImageDecoder, _ context: DecodeContext
    ) throws -> Image? {
        guard let previews = decoder.makeIncrementalDecoder(context: context) else { throw unsupported("previews") }
        var shown: Image?
        for start in stride(from: 0, to: bytes.count, by: 64 << 10) {
            shown = try previews.append(bytes[start..<min(start + 64 << 10, bytes.count)]) ?? shown
        }
        guard let shown else { throw unsupported("previews") }
        return shown
    }

    private static func unsupported(_ feature: String) -> TintypeError {
        TintypeError(.invalidSource, stage: .request, "the decoder does not support \(feature)")
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
