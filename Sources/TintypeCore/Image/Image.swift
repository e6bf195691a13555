public import Foundation

/// A decoded picture that never changes: pixels, and what is known of where they came from.
public final class Image: Sendable {
    /// The pixels to show; of an animation, its first frame.
    public let pixels: PixelBuffer
    /// What the encoded source said of itself, before any scaling.
    public let info: ImageInfo
    /// Pixels a point: 2 for a picture made for a display of double density.
    public let scale: Double
    /// When the bytes that it was made of were received, where a pipeline knows: pictures of equal keys that were made of
    /// different bytes differ in it.
    public let received: Date?

    public init(pixels: PixelBuffer, info: ImageInfo, scale: Double = 1, received: Date? = nil) {
        self.pixels = pixels
        self.info = info
        self.scale = scale
        self.received = received
    }

    /// The size in pixels, orientation applied.
    public var size: PixelSize { pixels.size }

    /// Bytes of memory that keeping this image costs: bytes a row × height.
    public var memoryCost: Int { pixels.byteCount }

    /// Whether it was decoded, or resized, to fewer pixels than its source has.
    public var isThumbnail: Bool { size.area < info.size.area }

    /// The same facts over other pixels.
    public func replacing(pixels: PixelBuffer) -> Image {
        Image(pixels: pixels, info: info, scale: scale, received: received)
    }

    /// The same picture, made of bytes that were received then.
    func receiving(_ date: Date?) -> Image {
        Image(pixels: pixels, info: info, scale: scale, received: date)
    }
}
