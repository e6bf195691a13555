import Foundation
import TintypeCore

/// Reads the header of any image that the server can decode, and makes one transparent pixel of it: for loads that need
/// the bytes of a source, its size and its format.
struct HeaderDecoder: ImageDecoder {
    /// The decoders of the server.
    let coders: ImageCoderRegistry
    /// The path of the source, by which formats without a signature are recognized.
    let name: String
    let formats: Set<ImageFormat> = []

    func info(of bytes: Data, isComplete: Bool) -> ImageInfo? {
        try? coders.info(of: bytes, isComplete: isComplete, name: name)
    }

    func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        guard let info = try coders.info(of: bytes, name: name) else {
            throw TintypeError(.notAnImage, stage: .decode, "the bytes are no image that can be read")
        }
        let writer = try PixelWriter(size: PixelSize(width: 1, height: 1))
        return Image(pixels: writer.finish(), info: info, scale: 1)
    }
}
