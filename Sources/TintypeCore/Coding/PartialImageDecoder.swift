import Foundation

/// A decoder that decodes a part of a picture, as ``DecodeOptions/crop`` asks. Of others the whole is decoded and cut.
public protocol PartialImageDecoder: ImageDecoder {}

extension ImageDecoder {
    /// The part and size that are asked for, whether this decoder knows of parts or not.
    ///
    /// - Throws: what decoding throws, and ``TintypeError/Code/transformFailed`` for a part that is empty.
    func decodePart(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        guard let crop = context.options.crop, !(self is any PartialImageDecoder) else {
            return try decode(bytes, context: context)
        }
        var whole = context
        (whole.options.crop, whole.options.size) = (nil, .full)
        let image = try decode(bytes, context: whole)
        let part = try image.transformed(by: CropTransformer(to: crop))
        let size = context.options.size.target(for: part.size)
        return size == part.size ? part : try part.transformed(by: ResizeTransformer(to: size, mode: .stretch))
    }
}
