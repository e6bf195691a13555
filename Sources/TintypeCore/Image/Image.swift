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
    /// All frames of an animated picture; `nil` for a still one, and where only the first frame was asked for.
    public let animation: AnimatedImage?
    /// The still picture beyond 8 bits, of the same size: where ``DecodeOptions/range`` is ``DecodeOptions/DynamicRange/high``
    /// and the source has more. Transforms, caches on disk and encoders go by ``pixels``.
    public let highRange: HighRangePixels?
    /// The Exif data of the source, where ``DecodeOptions/keepsExif`` asks for them and the source has some.
    public let exif: ExifData?
    /// Whether its source is damaged or cut short, and this is what could be shown of it:
    /// ``DecodeOptions/allowsPartial``.
    public let isPartial: Bool

    public init(
        pixels: PixelBuffer, info: ImageInfo, scale: Double = 1, received: Date? = nil,
        animation: AnimatedImage? = nil, isPartial: Bool = false, highRange: HighRangePixels? = nil,
        exif: ExifData? = nil
    ) {
        self.pixels = pixels
        self.info = info
        self.scale = scale
        self.received = received
        self.animation = animation
        self.highRange = highRange
        self.exif = exif
        self.isPartial = isPartial
    }

    /// The size in pixels, orientation applied.
    public var size: PixelSize { pixels.size }

    /// Bytes of memory that keeping this image costs: bytes a row × height, and what an animation keeps.
    public var memoryCost: Int {
        pixels.byteCount + (animation?.memoryCost ?? 0) + (highRange?.byteCount ?? 0) + (exif?.bytes.count ?? 0)
    }

    /// Whether it has several frames to play.
    public var isAnimated: Bool { animation != nil }

    /// Whether it was decoded, or resized, to fewer pixels than its source has.
    public var isThumbnail: Bool { size.area < info.size.area }

    /// The same facts over other pixels, as a still picture.
    public func replacing(pixels: PixelBuffer) -> Image {
        Image(pixels: pixels, info: info, scale: scale, received: received, isPartial: isPartial, exif: exif)
    }

    /// The same picture with so many pixels a point.
    func atScale(_ scale: Double) -> Image {
        guard scale != self.scale else { return self }
        return with(scale: scale, received: received)
    }

    /// The same picture, made of bytes that were received then.
    func receiving(_ date: Date?) -> Image {
        with(scale: scale, received: date)
    }

    /// The same picture as what could be shown of its source.
    var partial: Image { with(scale: scale, received: received, isPartial: true) }

    private func with(scale: Double, received: Date?, isPartial: Bool? = nil) -> Image {
        Image(
            pixels: pixels, info: info, scale: scale, received: received, animation: animation,
            isPartial: isPartial ?? self.isPartial, highRange: highRange, exif: exif)
    }

    /// What a transformer makes of it; of an animation, it is applied to each frame when that is asked for.
    ///
    /// - Throws: as the transformer.
    public func transformed(by transformer: any ImageTransformer) throws(TintypeError) -> Image {
        guard let animation else { return replacing(pixels: try transformer.transform(pixels)) }
        let transformed = try animation.transformed(by: transformer)
        return Image(
            pixels: transformed.poster, info: info, scale: scale, received: received, animation: transformed,
            isPartial: isPartial, exif: exif)
    }
}
