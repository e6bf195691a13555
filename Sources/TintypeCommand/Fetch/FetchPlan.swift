import Foundation
import Tintype

/// How `fetch` treats each image, and the request that does so.
struct FetchPlan: Sendable {
    /// How much of an image is examined before it counts as loaded.
    enum Verification: Sendable {
        /// All of it is verified, including every frame of an animation, at the lowest cost. Only then may it enter the
        /// cache.
        case whole
        /// Only its header is read. The image does not enter the cache.
        case header
    }

    /// The size to decode to and to report, or `nil` for the size of the source.
    var thumbnail: PixelSize?
    /// With `.first`, a thumbnail is a still image, and further frames are not verified.
    var frames = DecodeOptions.Frames.all
    var verification = Verification.whole
    /// Whether the original bytes are written to a file.
    var writesOriginal = false

    /// Returns the request for a source.
    ///
    /// Without a thumbnail, no pixels are kept, and nothing but the bytes is stored.
    func request(for source: ImageSource) -> ImageRequest {
        var request = ImageRequest(source: source).frames(frames)
        request.policy.delivery.data = writesOriginal ? .always : .whenLoaded
        request.policy.verification = .allFrames
        if let thumbnail {
            request.rendition.decode.size = .fit(thumbnail)
            return request
        }
        request.policy.caching.rendition = CacheRules(memory: .off, disk: .off)
        switch verification {
        case .whole: request.rendition.decode.size = .noPixels
        case .header:
            request.rendition.decode.decoder = NamedDecoder(id: "tintype.header", decoder: HeaderReader())
            request.policy.caching.original.disk = .readOnly
        }
        return request
    }

    /// Returns the size to report: that of the pixels if the user chose it, otherwise that of the source.
    func reportedSize(of image: Image) -> PixelSize {
        thumbnail == nil ? image.info.size : image.size
    }
}

/// A decoder that reads only the header of an image, and returns one transparent pixel for it.
private struct HeaderReader: ImageDecoder {
    private static let coders = ImageCoderRegistry.command

    var formats: Set<ImageFormat> { Set(Self.coders.decodableFormats) }

    func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        try Self.coders.info(of: bytes, isComplete: isComplete)
    }

    func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        guard let info = try Self.coders.info(of: bytes, limits: context.limits) else {
            throw TintypeError(.undecodable, stage: .decode, "the header is incomplete")
        }
        return Image(pixels: try .onePixel(), info: info)
    }
}
