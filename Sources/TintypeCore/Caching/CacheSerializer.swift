public import Foundation

/// Chooses the bytes under which pictures are kept on disk: to change their format, to change what is in them, or to keep
/// some out.
///
/// It is asked behind the caller, on a thread for pixels, before anything is stored; what it says of an original is what
/// the next load reads instead of what came from outside.
public struct CacheSerializer: Sendable {
    /// What is kept of one picture.
    public enum Form: Sendable {
        /// What would be without a serializer: an original as the bytes it came as, a rendition as its request says.
        case standard
        /// These bytes. Have to decode as the picture, or they are found damaged by whoever reads them.
        case bytes(Data, ImageFormat)
        case nothing
    }

    private let serialize: Serialize

    /// Told the picture; the bytes that an original came as, `nil` for a rendition; and under which key it is kept.
    public typealias Serialize = @Sendable (Image, Data?, CacheKey) throws(TintypeError) -> Form

    /// - Parameter serialize: what it throws is logged, and the picture is not kept on disk.
    public init(_ serialize: @escaping Serialize) {
        self.serialize = serialize
    }

    func form(of image: Image, _ data: Data?, for key: CacheKey) throws(TintypeError) -> Form {
        try serialize(image, data, key)
    }
}

extension CacheSerializer {
    /// Keeps still originals of some formats as another one: of those that take long to decode, say.
    ///
    /// - Parameter encoder: has to know `target`.
    public static func reencoding(
        _ formats: Set<ImageFormat>, as target: ImageFormat, with encoder: any ImageEncoder,
        _ options: EncodeOptions = EncodeOptions()
    ) -> CacheSerializer {
        CacheSerializer { image, data, _ throws(TintypeError) in
            // A thumbnail would be kept instead of the whole, and a frame instead of the animation.
            guard data != nil, formats.contains(image.info.format), image.size == image.info.size, !image.isAnimated
            else { return .standard }
            return .bytes(try encoder.encode(image.pixels, as: target, options: options), target)
        }
    }
}
