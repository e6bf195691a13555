import Foundation
import TintypeCore
import TintypeJPEG

/// Makes of a JPEG a smaller one that fits a square, from file to file, and ends: for `scripts/bench/compare-decoders`, which
/// measures the process. It names this format alone, as a program may.
///
/// Arguments: the side, the file, and the file to write.
@main
struct JPEGThumbnail {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let side = Int(arguments[1]) else {
            throw TintypeError(.invalidSource, stage: .request, "a side and two files are wanted")
        }
        let options = DecodeOptions(size: .fit(PixelSize(width: side, height: side)))
        let image = try JPEGDecoder().decode(
            try Data(contentsOf: URL(filePath: arguments[2])), context: DecodeContext(options: options))
        let encoded = try JPEGEncoder().encode(image.pixels, as: .jpeg, options: EncodeOptions())
        try encoded.write(to: URL(filePath: arguments[3]))
    }
}
