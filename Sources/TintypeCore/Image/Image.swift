public import Foundation

/// An immutable decoded image: its pixels, and the properties of the bytes that they were decoded from.
public final class Image: Sendable {
    /// The pixels to show. For an animation, these are the pixels of its first frame.
    public let pixels: PixelBuffer
    /// The contents of the header of the encoded source, before any scaling.
    public let info: ImageInfo
    /// The number of pixels per point: 2 for an image made for a display of double density.
    public let scale: Double
    /// The time at which a pipeline received the encoded bytes; `nil` if no pipeline was involved.
    ///
    /// Two images with equal keys that were decoded from different bytes differ in this date.
    public let received: Date?
    /// The time from which no cache may return the image; `nil` leaves this to the limits of the cache.
    ///
    /// An image that was made from a cache entry expires with the entry, and so does everything made from the image.
    public let expires: Date?
    /// All frames of an animated image; `nil` for a still image, and if only the first frame was requested.
    public let animation: AnimatedImage?
    /// The still image with more than 8 bits per channel, at the same size.
    ///
    /// Present if ``DecodeOptions/range`` is ``DecodeOptions/DynamicRange/high`` and the source has more than 8 bits,
    /// or a gain map. Transformers that crop, scale, turn or mirror an image keep it (`GeometricTransformer`), and
    /// those that change each pixel by itself keep its gains: colours, tints, rounded corners and overlays. Other
    /// transformers and disk caches use ``pixels`` instead, and so do encoders unless ``EncodeOptions/range`` or
    /// ``EncodeOptions/depth`` says otherwise.
    public let highRange: HighRangePixels?
    /// The Exif data of the source, if ``DecodeOptions/keepsExif`` was set and the source has any.
    public let exif: ExifData?
    /// The metadata of the source, if ``DecodeOptions/keepsMetadata`` was set and the source has any.
    ///
    /// ``EncodeOptions/metadata`` selects those that are written.
    public let metadata: ImageMetadata?
    /// Whether the source is damaged or truncated and this image shows only a part of it.
    ///
    /// See ``DecodeOptions/allowsPartial``.
    public let isPartial: Bool

    /// Creates an image from decoded pixels.
    ///
    /// - Parameters:
    ///   - pixels: The pixels to show; the first frame of an animation.
    ///   - info: The header of the encoded source.
    ///   - scale: Pixels per point.
    ///   - received: When the encoded bytes were received.
    ///   - expires: When caches must stop returning the image; `nil` sets no limit.
    ///   - animation: All frames, for an animated image.
    ///   - isPartial: Whether the source is damaged or truncated.
    ///   - highRange: The same image with more than 8 bits per channel.
    ///   - exif: The Exif data of the source.
    ///   - metadata: All metadata of the source.
    public init(
        pixels: PixelBuffer, info: ImageInfo, scale: Double = 1, received: Date? = nil,
        expires: Date? = nil, animation: AnimatedImage? = nil, isPartial: Bool = false,
        highRange: HighRangePixels? = nil, exif: ExifData? = nil, metadata: ImageMetadata? = nil
    ) {
        self.pixels = pixels
        self.info = info
        self.scale = scale
        self.received = received
        self.expires = expires
        self.animation = animation
        self.highRange = highRange
        self.exif = exif
        self.metadata = metadata
        self.isPartial = isPartial
    }

    /// The size in pixels, after the orientation has been applied.
    public var size: PixelSize { pixels.size }

    /// The number of bytes of memory that this image occupies, with row padding, animation, metadata and durations.
    public var memoryCost: Int {
        pixels.byteCount + (animation?.memoryCost ?? 0) + (highRange?.byteCount ?? 0)
            + (metadata?.byteCount ?? exif?.bytes.count ?? 0) + info.durations.count * MemoryLayout<Double>.stride
    }

    /// Whether the image has an animation to play.
    public var isAnimated: Bool { animation != nil }

    /// Whether the image was decoded, or resized, to fewer pixels than its source has.
    public var isThumbnail: Bool { size.area < info.size.area }

    /// Returns a still image with the same metadata over other pixels.
    ///
    /// - Parameters:
    ///   - pixels: The new pixels.
    ///   - highRange: The same pixels with more than 8 bits per channel.
    public func replacing(pixels: PixelBuffer, highRange: HighRangePixels? = nil) -> Image {
        Image(
            pixels: pixels, info: info, scale: scale, received: received, expires: expires, isPartial: isPartial,
            highRange: highRange, exif: exif, metadata: metadata)
    }

    /// Returns a still image with one transparent pixel, and an animation as it is.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    func withoutPixels() throws(TintypeError) -> Image {
        isAnimated ? self : replacing(pixels: try .onePixel())
    }

    /// Returns the same image with another number of pixels per point.
    func atScale(_ scale: Double) -> Image {
        guard scale != self.scale else { return self }
        return dated(received: received, expires: expires, scale: scale)
    }

    /// The same image, marked as partial.
    var markedPartial: Image { dated(received: received, expires: expires, isPartial: true) }

    /// Returns the same image with other ``metadata``.
    func with(metadata: ImageMetadata?) -> Image {
        Image(
            pixels: pixels, info: info, scale: scale, received: received, expires: expires, animation: animation,
            isPartial: isPartial, highRange: highRange, exif: exif, metadata: metadata)
    }

    /// Returns the same image with other ``received`` and ``expires`` dates.
    ///
    /// - Parameters:
    ///   - scale: The number of pixels per point; `nil` leaves it.
    ///   - isPartial: Whether the image is partial; `nil` leaves it.
    package func dated(
        received: Date?, expires: Date?, scale: Double? = nil, isPartial: Bool? = nil
    ) -> Image {
        Image(
            pixels: pixels, info: info, scale: scale ?? self.scale, received: received, expires: expires,
            animation: animation, isPartial: isPartial ?? self.isPartial, highRange: highRange, exif: exif,
            metadata: metadata)
    }
}
