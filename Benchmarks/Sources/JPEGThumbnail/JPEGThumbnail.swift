import Foundation
import TintypeCore
import TintypeJPEG

/// Scales a JPEG file to fit a square, writes it, and exits. `scripts/bench/compare-decoders` measures the process. The
/// program links only this format, as programs can.
///
/// Arguments: the side of the square in pixels, the source file, and the target file.
@main
struct JPEGThumbnail {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let side = Int(arguments[1]) else {
            throw TintypeError(.invalidSource, stage: .request, "usage: JPEGThumbnail SIDE SOURCE TARGET")
        }
        let options = DecodeOptions(size: .fit(PixelSize(width: side, height: side)))
        let image = try JPEGDecoder().decode(
            try Data(contentsOf: URL(filePath: arguments[2])), context: DecodeContext(options: options))
        let encoded = try JPEGEncoder().encode(image.pixels, as: .jpeg, options: EncodeOptions())
        try encoded.write(to: URL(filePath: arguments[3]))
    }
}
