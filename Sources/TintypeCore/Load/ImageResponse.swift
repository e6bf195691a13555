public import Foundation

/// A picture with what is known of how it was got.
public struct ImageResponse: Sendable {
    /// The picture.
    public var image: Image
    /// Where it came from.
    public var origin: ImageOrigin
    /// The original bytes, when they passed by on the way or the request asked for them.
    public var data: Data?
    /// The number of bytes of the encoded picture, when they were read.
    public var byteCount: Int?
    /// Why this is what a cache had, when its origin should have been asked and could not be.
    public var refreshFailure: TintypeError?
    /// Why the picture is only what had arrived of it, where its transfer failed and the request takes a part:
    /// ``DecodeOptions/allowsPartial``. No cache keeps it, and there is no ``data``.
    public var transferFailure: TintypeError?
    /// How the bytes were transferred, when this load did that.
    public var metrics: TransferMetrics?

    public init(image: Image, origin: ImageOrigin, data: Data? = nil, byteCount: Int? = nil) {
        self.image = image
        self.origin = origin
        self.data = data
        self.byteCount = byteCount ?? data?.count
    }
}

extension ImageResponse {
    /// The same with so many pixels a point.
    func atScale(_ scale: Double) -> ImageResponse {
        var response = self
        response.image = image.atScale(scale)
        return response
    }
}
