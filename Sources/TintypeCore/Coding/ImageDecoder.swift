public import Foundation

/// Decodes the bytes of one or more image formats into pixels.
///
/// All methods block. The pipeline calls them on a work queue with one thread per core, so a decoder must allow calls
/// from several threads at once.
public protocol ImageDecoder: Sendable {
    /// The formats that this decoder decodes.
    var formats: Set<ImageFormat> { get }

    /// Reads the header of an image.
    ///
    /// - Parameters:
    ///   - bytes: The first bytes of the image.
    ///   - isComplete: Whether `bytes` are the whole image.
    /// - Returns: `nil` if more bytes are needed; never `nil` for complete bytes.
    /// - Throws: ``TintypeError/Code/undecodable`` for a damaged header.
    func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo?

    /// Decodes the first frame, with the orientation applied, at the size that the context's options ask for.
    ///
    /// - Parameters:
    ///   - bytes: The whole image.
    ///   - context: The options, the limits, and whether anybody still waits.
    /// - Throws: ``TintypeError/Code/undecodable`` for damaged or truncated bytes;
    ///   ``TintypeError/Code/limitExceeded``, before any allocation, for an image that exceeds the context's limits;
    ///   ``TintypeError/Code/cancelled``.
    func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image

    /// Returns a decoder for bytes that are still arriving; `nil` if this decoder has no previews.
    func makeIncrementalDecoder(context: DecodeContext) -> (any IncrementalImageDecoder)?
}

extension ImageDecoder {
    /// Returns `nil`: by default, a decoder has no previews.
    public func makeIncrementalDecoder(context: DecodeContext) -> (any IncrementalImageDecoder)? { nil }
}

/// Decodes an image while its bytes arrive. It keeps its state between chunks and never decodes a byte twice.
///
/// Used by one thread at a time.
public protocol IncrementalImageDecoder: AnyObject, Sendable {
    /// Decodes the next bytes as far as possible.
    ///
    /// - Returns: An image if it shows more than the last one returned.
    /// - Throws: ``TintypeError/Code/undecodable``, ``TintypeError/Code/limitExceeded``,
    ///   ``TintypeError/Code/cancelled``.
    func append(_ bytes: Data) throws(TintypeError) -> Image?
}

// MARK: - Optional capabilities

/// A decoder that recognizes its own images: those of a format that ``FormatSniffer`` does not know, or takes for
/// another.
///
/// A raw image of a camera, for example, begins like a TIFF.
public protocol RecognizingImageDecoder: ImageDecoder {
    /// Returns whether this decoder decodes the image that begins with some bytes.
    ///
    /// It is asked for each image, before Tintype's own decoders, and the decoder that was added last is asked first.
    /// It must be fast and must not fail for any bytes.
    ///
    /// - Parameter head: The first ``headLength`` bytes of the image, or all of it if it is shorter.
    func recognizes(_ head: Data) -> Bool

    /// Returns whether this decoder decodes an image, also by its end or its name. By default, only its first bytes
    /// count.
    ///
    /// For formats without a signature at the beginning, such as TGA. It is the function that a registry calls.
    func recognizes(_ head: Data, _ marks: RecognitionMarks) -> Bool

    /// The number of bytes that ``recognizes(_:)`` examines; 64 by default, at most 4096. With 0, it is never asked.
    var headLength: Int { get }
}

extension RecognizingImageDecoder {
    /// The result of ``recognizes(_:)``.
    public func recognizes(_ head: Data, _ marks: RecognitionMarks) -> Bool { recognizes(head) }

    /// ``FormatSniffer/length``.
    public var headLength: Int { FormatSniffer.length }

    /// ``headLength`` within its bounds.
    var examinedLength: Int { min(max(headLength, 0), 4096) }
}

/// A decoder that can decode only the part of an image that ``DecodeOptions/crop`` asks for.
///
/// With any other decoder, the whole image is decoded and then cropped.
public protocol PartialImageDecoder: ImageDecoder {}

/// A decoder that can decode a part of a damaged image, as ``DecodeOptions/allowsPartial`` asks.
package protocol SalvagingImageDecoder: ImageDecoder {
    /// Decodes what remains of an image that ``ImageDecoder/decode(_:context:)`` found damaged or truncated.
    ///
    /// Missing pixels are transparent.
    ///
    /// - Returns: The requested part at the requested size; an animation has its complete frames. `nil` if nothing can
    ///   be decoded.
    /// - Throws: The errors of ``ImageDecoder/decode(_:context:)``.
    func salvage(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image?
}

/// A decoder of files that have several images. ``ImageDecoder/decode(_:context:)`` decodes one of them.
package protocol ImageCollectionDecoder: ImageDecoder {
    /// Decodes every image of a file, as ``LoadPolicy/Verification/allFrames`` asks.
    ///
    /// - Parameter bytes: The whole file.
    /// - Throws: The errors of ``ImageDecoder/decode(_:context:)``, for the first image that has one.
    func verifyImages(in bytes: Data, context: DecodeContext) throws(TintypeError)
}

/// A decoder that takes so long to read the properties of an image that the limits of the decode apply to it.
package protocol LimitedInfoDecoder: ImageDecoder {
    /// Returns what ``ImageDecoder/info(of:isComplete:)`` returns for a whole file.
    ///
    /// - Throws: The errors of ``ImageDecoder/decode(_:context:)``.
    func info(of bytes: Data, context: DecodeContext) throws(TintypeError) -> ImageInfo?
}

/// A decoder that can verify that an image is intact without decoding it.
package protocol VerifyingImageDecoder: ImageDecoder {
    /// Reads all of a still image without making pixels, as ``DecodeOptions/Size/noPixels`` asks.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - context: The options, the limits, and whether anybody still waits.
    /// - Returns: The header, if it is certain that ``ImageDecoder/decode(_:context:)`` would succeed without a
    ///   warning; otherwise `nil`, and the pipeline decodes the image.
    /// - Throws: The errors of ``ImageDecoder/decode(_:context:)``.
    func verifiedInfo(of bytes: Data, context: DecodeContext) throws(TintypeError) -> ImageInfo?
}

/// Decodes images that may be animated.
public protocol AnimatedImageDecoder: ImageDecoder {
    /// Returns the frames of an image, without decoding any of them.
    ///
    /// A still image is an animation of one frame.
    ///
    /// - Parameters:
    ///   - bytes: The whole image.
    ///   - context: The options, the limits, and whether anybody still waits.
    /// - Throws: ``TintypeError/Code/undecodable``, and ``TintypeError/Code/limitExceeded`` before any allocation.
    func makeFrameDecoder(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> any FrameDecoder
}

extension AnimatedImageDecoder {
    /// Returns the first frame of an animated image, and the animation, unless the options ask only for that frame.
    ///
    /// - Throws: The errors of ``makeFrameDecoder(_:context:)`` and of decoding the first frame.
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
