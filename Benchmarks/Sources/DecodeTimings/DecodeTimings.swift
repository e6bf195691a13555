import CBenchmarkControls
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
import TintypeSVG
import TintypeTIFF
import TintypeWebP

/// Times decoders for `scripts/bench/compare-decoders`. One request at a time, so that the script can alternate between
/// programs.
///
/// Each line of standard input is one of these. The program prints the time in milliseconds:
/// - `tintype FILE` and `control FILE`: the full image, with Tintype's decoder or with the library of its format;
/// - `thumbnail SIDE FILE`: the image scaled to fit a square.
///
/// With arguments the program does one thing and exits, so that a script can measure the process:
/// - `once SIDE FILE` decodes a thumbnail, and `idle FILE` only reads the bytes;
/// - `encode FILE FORMAT TARGET` writes an image in another format;
/// - `bombs` prints the cost of refusing each bomb.
@main
struct DecodeTimings {
    static let coders = ImageCoderRegistry(
        decoders: [
            AVIFDecoder(), BMPDecoder(), GIFDecoder(), HEIFDecoder(), ICODecoder(), JPEGDecoder(), JXLDecoder(),
            PNGDecoder(), SVGDecoder(), TIFFDecoder(), WebPDecoder(),
        ],
        encoders: [HEIFEncoder(), JXLEncoder()])

    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.count) {
        case ("idle", 2): _ = try bytes(arguments[1])
        case ("once", 3): _ = try thumbnail(arguments[1], try bytes(arguments[2]))
        case ("encode", 4): try encode(arguments[1], arguments[2], to: arguments[3])
        case ("bombs", 1): try BombTimings.run()
        default:
            control_keep_memory()
            while let line = readLine() {
                print(try answer(line.split(separator: " ").map(String.init)))
                fflush(nil)
            }
        }
    }

    private static func answer(_ words: [String]) throws -> String {
        switch (words.first, words.count) {
        case ("tintype", 2):
            let bytes = try bytes(words[1])
            return try milliseconds { _ = try decode(bytes, context: DecodeContext()) }
        case ("control", 2):
            let bytes = try bytes(words[1])
            return try milliseconds { try control(bytes) }
        case ("thumbnail", 3):
            let bytes = try bytes(words[2])
            return try milliseconds { _ = try thumbnail(words[1], bytes) }
        default: throw TintypeError(.invalidSource, stage: .request, "unknown command: \(words)")
        }
    }

    private static func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }

    static func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        try coders.decoder(for: bytes).decode(bytes, context: context)
    }

    private static func thumbnail(_ side: String, _ bytes: Data) throws -> Image {
        let side = Int(side) ?? 1
        let options = DecodeOptions(size: .fit(PixelSize(width: side, height: side)))
        return try decode(bytes, context: DecodeContext(options: options))
    }

    private static func encode(_ path: String, _ format: String, to target: String) throws {
        let format = ImageFormat(rawValue: format)
        let image = try decode(try bytes(path), context: DecodeContext())
        let encoded = try coders.encoder(for: format).encode(image.pixels, as: format, options: EncodeOptions())
        try encoded.write(to: URL(filePath: target))
    }

    private static func control(_ bytes: Data) throws {
        let isDecoded = bytes.withUnsafeBytes { raw in
            guard let base = raw.bindMemory(to: UInt8.self).baseAddress else { return false }
            switch FormatSniffer.format(of: bytes) {
            case .jpeg:
                control_decode_jpeg(base, raw.count, 8)
                return true
            case .png: return control_decode_png(base, raw.count)
            case .gif: return control_play_gif(base, raw.count) > 0
            case .webp: return control_decode_webp(base, raw.count)
            case .avif: return control_decode_avif(base, raw.count)
            case .jxl: return control_decode_jxl(base, raw.count)
            case .heic: return control_decode_heic(base, raw.count)
            case .tiff: return control_decode_tiff(base, raw.count)
            default: return false
            }
        }
        guard isDecoded else { throw TintypeError(.undecodable, stage: .decode, "the control cannot decode this file") }
    }

    static func milliseconds(_ body: () throws -> Void) rethrows -> String {
        let time = try ContinuousClock().measure(body)
        return "\(time / .milliseconds(1))"
    }
}
