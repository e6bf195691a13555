public import Foundation

/// Makes the bytes of one or more formats of pixels.
public protocol ImageEncoder: Sendable {
    /// The formats that it encodes.
    var formats: Set<ImageFormat> { get }

    /// - Throws: ``TintypeError/Code/encodeFailed``, ``TintypeError/Code/outOfMemory``.
    func encode(_ pixels: PixelBuffer, as format: ImageFormat, options: EncodeOptions) throws(TintypeError) -> Data
}

/// How pixels become bytes.
public struct EncodeOptions: Hashable, Sendable {
    /// From 0, small, to 1, faithful: then every pixel is kept where the format can. Lossless formats take no notice.
    public var quality: Double
    /// What shows through transparent pixels in a format without alpha.
    public var background: Pixel

    /// The most pixels on either side, keeping the aspect ratio; a side of 0 does not limit. Kept by
    /// ``ImageCoderRegistry/encode(_:as:options:)``.
    public var maximumSize: PixelSize?
    /// The most bytes, for which ``ImageCoderRegistry/encode(_:as:options:)`` lowers the quality.
    public var maximumByteCount: Int?
    /// Whether the picture is put into the file a second time, in ``thumbnailSize`` at most, for programs that show many
    /// at once. JPEG and HEIC have a place for it; others take no notice, and so does a picture that is no larger.
    public var embedsThumbnail: Bool
    /// Which frames of an animation are encoded, in this order, from 0; `nil` is all. Of one frame a still picture is made.
    /// Kept by ``ImageCoderRegistry/encode(_:as:options:)``; a still picture takes no notice.
    public var frames: [Int]?

    /// What an embedded thumbnail is fitted into: about what cameras and Apple's encoders put there.
    public static let thumbnailSize = PixelSize(width: 320, height: 320)

    public init(
        quality: Double = 1, background: Pixel = Pixel(red: 255, green: 255, blue: 255),
        maximumSize: PixelSize? = nil, maximumByteCount: Int? = nil, embedsThumbnail: Bool = false,
        frames: [Int]? = nil
    ) {
        self.quality = quality
        self.background = background
        self.maximumSize = maximumSize
        self.maximumByteCount = maximumByteCount
        self.embedsThumbnail = embedsThumbnail
        self.frames = frames
    }
}
