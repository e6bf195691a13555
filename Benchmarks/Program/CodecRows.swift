import CBenchmarkControls
import Foundation
import Tintype
import TintypeCore

/// Decoders, and encoders, beside the libraries that they use.
enum CodecRows {
    /// All formats, none of them in worker processes.
    static let coders = ImageCoderRegistry(
        decoders: [
            AVIFDecoder(), BMPDecoder(), GIFDecoder(), HEIFDecoder(), ICODecoder(), JPEGDecoder(), JXLDecoder(),
            PNGDecoder(), SVGDecoder(), TIFFDecoder(), WebPDecoder(),
        ],
        encoders: [JPEGEncoder(), HEIFEncoder(), JXLEncoder(), PNGEncoder()])

    /// Arguments: the file.
    static func decode(_ arguments: [String]) throws -> Contest {
        let bytes = try arguments.bytes(0)
        let decoder = try coders.decoder(for: bytes)
        var contest = Contest()
        contest.add("ours") { _ = try decoder.decode(bytes, context: DecodeContext()) }
        contest.add("library") { try check(decodeWithLibrary(bytes), "the library cannot decode this file") }
        let isolated = try coders.sandboxed(SandboxConfiguration(.all)).decoder(for: bytes)
        contest.add("worker") { _ = try isolated.decode(bytes, context: DecodeContext()) }
        contest.outputs["ours"] = { try decoder.decode(bytes, context: DecodeContext()).pixels.writeStraight(to: $0) }
        return contest
    }

    /// Arguments: the file, and the side of the square that the image is scaled to fit.
    static func thumbnail(_ arguments: [String]) throws -> Contest {
        let bytes = try arguments.bytes(0), side = try arguments.number(1)
        let decoder = try coders.decoder(for: bytes)
        let options = DecodeOptions(size: .fit(PixelSize(width: side, height: side)))
        var contest = Contest()
        contest.add("ours") { _ = try decoder.decode(bytes, context: DecodeContext(options: options)) }
        contest.outputs["ours"] = {
            try decoder.decode(bytes, context: DecodeContext(options: options)).pixels.writeStraight(to: $0)
        }
        return contest
    }

    /// Arguments: the file, the width of the result, and its JPEG quality from 0 to 100.
    static func transcode(_ arguments: [String]) throws -> Contest {
        let bytes = try arguments.bytes(0), width = try arguments.number(1)
        let decoder = try coders.decoder(for: bytes), encoder = try coders.encoder(for: .jpeg)
        let options = DecodeOptions(size: .fit(PixelSize(width: width, height: 0)))
        let encoding = EncodeOptions(quality: Double(try arguments.number(2)) / 100)
        func make() throws -> Data {
            let image = try decoder.decode(bytes, context: DecodeContext(options: options))
            return try encoder.encode(image.pixels, as: .jpeg, options: encoding)
        }
        var contest = Contest()
        contest.add("ours") { _ = try make() }
        contest.outputs["ours"] = {
            try make().write(to: $0)
            return nil
        }
        return contest
    }

    /// Arguments: the file, the format, the quality from 0 to 100, and the effort from 0 to 100, or less than 0 for the
    /// encoder's own.
    ///
    /// The library is libpng at the compression level that follows the effort.
    static func encode(_ arguments: [String]) throws -> Contest {
        let bytes = try arguments.bytes(0), effort = try arguments.number(3)
        let format = ImageFormat(rawValue: try arguments.argument(1))
        let pixels = try coders.decoder(for: bytes).decode(bytes, context: DecodeContext()).pixels
        let encoder = try coders.encoder(for: format)
        var options = EncodeOptions(quality: Double(try arguments.number(2)) / 100)
        options.effort = effort < 0 ? nil : Double(effort) / 100
        let encoding = options
        var contest = Contest()
        contest.add("ours") { _ = try encoder.encode(pixels, as: format, options: encoding) }
        contest.outputs["ours"] = {
            try encoder.encode(pixels, as: format, options: encoding).write(to: $0)
            return nil
        }
        guard format == .png else { return contest }
        let rgb = opaqueColors(pixels), size = pixels.size
        // The effort 0 to 1 is the level 1 to 9; without one, it is 6.
        let level = effort < 0 ? 6 : 1 + (8 * effort + 50) / 100
        func encodeWithLibrary() throws -> Data {
            var out: UnsafeMutablePointer<UInt8>?
            let count = control_encode_png(rgb, size.width, size.height, Int32(level), &out)
            guard let out else { throw BenchmarkError("libpng wrote nothing") }
            return Data(bytesNoCopy: out, count: count, deallocator: .free)
        }
        contest.add("library") { _ = try encodeWithLibrary() }
        contest.outputs["library"] = {
            try encodeWithLibrary().write(to: $0)
            return nil
        }
        return contest
    }

    private static func opaqueColors(_ pixels: PixelBuffer) -> [UInt8] {
        var rgb: [UInt8] = []
        rgb.reserveCapacity(3 * pixels.size.area)
        for y in 0..<pixels.size.height {
            pixels.withUnsafeRow(y) { row in
                for x in 0..<pixels.size.width { rgb.append(contentsOf: row[4 * x..<4 * x + 3]) }
            }
        }
        return rgb
    }

    private static func decodeWithLibrary(_ bytes: Data) -> Bool {
        bytes.withUnsafeBytes { raw in
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
    }
}
