public import Foundation

/// Decodes pictures that may be animated.
public protocol AnimatedImageDecoder: ImageDecoder {
    /// The frames of an animated picture, none of them decoded yet.
    ///
    /// A still picture of such a format is an animation of one frame.
    ///
    /// - Parameter bytes: the whole picture.
    /// - Throws: ``TintypeError/Code/undecodable``, and ``TintypeError/Code/limitExceeded`` before memory is claimed.
    func makeFrameDecoder(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> any FrameDecoder
}

extension AnimatedImageDecoder {
    /// The image of an animated picture: its first frame, and the others unless only the first is asked for.
    package func animatedImage(
        _ bytes: Data, info: ImageInfo, context: DecodeContext, exif: ExifData? = nil
    ) throws(TintypeError) -> Image {
        let animation = try AnimatedImage(bytes, decoder: self, info: info, context: context)
        return Image(
            pixels: animation.poster, info: info, scale: context.options.scale ?? 1,
            animation: info.frameCount > 1 && context.options.frames != .first ? animation : nil,
            exif: context.options.keepsExif ? exif : nil)
    }
}
