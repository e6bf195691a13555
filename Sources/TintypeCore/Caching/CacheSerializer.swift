public import Foundation

/// Chooses the bytes that are stored on disk for an image: to change their format or content, or to store nothing.
///
/// The pipeline calls it in the background, on the pixel queue, before it stores an image. The bytes chosen for an
/// original replace the received bytes: the next load reads them.
public struct CacheSerializer: Sendable {
    /// The bytes to store for one image.
    public enum Form: Sendable {
        /// The bytes that would be stored without a serializer: for an original, the received bytes; for a rendition,
        /// the form that ``LoadPolicy/Caching/form`` selects.
        case standard
        /// These bytes in this format. They must decode to the image. Otherwise the next read treats the entry as
        /// damaged.
        case bytes(Data, ImageFormat)
        /// No entry.
        case nothing
    }

    private let serialize: @Sendable (Image, Data?, CacheKey) throws(TintypeError) -> Form

    /// Creates a serializer.
    ///
    /// - Parameter serialize: Chooses the form for an image, the received bytes (`nil` for a rendition) and the cache
    ///   key. If it throws, the error is logged and the image is not stored on disk.
    public init(
        _ serialize: @escaping @Sendable (_ image: Image, _ data: Data?, _ key: CacheKey) throws(TintypeError) -> Form
    ) {
        self.serialize = serialize
    }

    func form(of image: Image, _ data: Data?, for key: CacheKey) throws(TintypeError) -> Form {
        try serialize(image, data, key)
    }
}

extension CacheSerializer {
    /// Returns a serializer that stores still originals of some formats in another format, such as one that decodes
    /// faster.
    ///
    /// - Parameters:
    ///   - formats: The formats to replace.
    ///   - target: The format to store.
    ///   - encoder: An encoder that supports `target`.
    ///   - options: The encoder's options. Their limits on size and bytes apply, so the stored image may be smaller
    ///     than the original.
    public static func reencoding(
        _ formats: Set<ImageFormat>, as target: ImageFormat, with encoder: any ImageEncoder,
        options: EncodeOptions = EncodeOptions()
    ) -> CacheSerializer {
        let coders = ImageCoderRegistry(encoders: [encoder])
        return CacheSerializer { image, data, _ throws(TintypeError) in
            // A downscaled image or a single frame must not replace the original.
            guard data != nil, formats.contains(image.info.format), image.size == image.info.size, !image.isAnimated
            else { return .standard }
            return .bytes(try coders.encode(image.pixels, as: target, options: options), target)
        }
    }
}
