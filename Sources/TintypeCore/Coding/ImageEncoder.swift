public import Foundation

/// Encodes pixels into one or more image formats. All methods block.
public protocol ImageEncoder: Sendable {
    /// The formats that this encoder encodes.
    var formats: Set<ImageFormat> { get }

    /// Encodes a still image.
    ///
    /// - Parameters:
    ///   - pixels: The pixels, which are premultiplied.
    ///   - format: One of ``formats``.
    ///   - options: Quality and the other choices. A format ignores those that it does not have.
    /// - Throws: ``TintypeError/Code/encodeFailed``, ``TintypeError/Code/outOfMemory``.
    func encode(_ pixels: PixelBuffer, as format: ImageFormat, options: EncodeOptions) throws(TintypeError) -> Data
}

/// Encodes animations. All methods block.
public protocol AnimatedImageEncoder: ImageEncoder {
    /// Encodes every composed frame with its duration, and the loop count.
    ///
    /// Frames are requested in order, one at a time, so that few are in memory at once. Some formats need two passes
    /// over all frames.
    ///
    /// - Parameters:
    ///   - animation: The animation, whose frames are requested one after another.
    ///   - format: One of ``ImageEncoder/formats``.
    ///   - options: Quality and the other choices. A format ignores those that it does not have.
    /// - Throws: The errors of ``AnimatedImage/frame(at:isCancelled:)``; ``TintypeError/Code/encodeFailed``,
    ///   ``TintypeError/Code/outOfMemory``.
    func encode(
        _ animation: AnimatedImage, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data
}

extension AnimatedImage {
    /// Returns whether all pixels of all frames are opaque. Decodes frames up to the first transparent pixel.
    ///
    /// - Throws: The errors of ``AnimatedImage/frame(at:isCancelled:)``.
    package func isOpaque() throws(TintypeError) -> Bool {
        for index in 0..<frameCount {
            guard try frame(at: index).isOpaque else { return false }
        }
        return true
    }
}

/// How pixels are encoded.
public struct EncodeOptions: Hashable, Sendable {
    /// The quality, from 0 for the smallest file to 1 for the most faithful, lossless if the format supports it.
    ///
    /// Lossless formats ignore it; ``compression`` makes others lossless, or lossy, at any quality.
    public var quality: Double
    /// The colour behind transparent pixels in a format without alpha.
    public var background: Pixel

    /// The maximum size in pixels; the image is scaled down to it, keeping its aspect ratio.
    ///
    /// A side of 0 sets no limit. Applied by `ImageCoderRegistry.encode(_:as:options:)` and when a pipeline stores a
    /// rendition; encoders ignore it.
    public var maximumSize: PixelSize?
    /// The maximum number of bytes of the file.
    ///
    /// `ImageCoderRegistry.encode(_:as:options:)` lowers the quality to reach it, and so does a pipeline that stores
    /// a rendition; encoders ignore it.
    public var maximumByteCount: Int?
    /// Whether the file also contains the image at `thumbnailSize`, for programs that show many images at once.
    ///
    /// Supported by JPEG and HEIC; other formats ignore it. An image that is not larger than that gets no thumbnail.
    public var embedsThumbnail: Bool
    /// The indices of the frames of an animation to encode, in this order; `nil` encodes all.
    ///
    /// A single frame becomes a still image. Applied by `ImageCoderRegistry.encode(_:as:options:)`; still images
    /// ignore it.
    public var frames: [Int]?
    /// The kinds of metadata to write; by default none.
    ///
    /// The metadata comes from ``Image/metadata``, so the image must be decoded with ``DecodeOptions/keepsMetadata``.
    /// Only the formats of `ImageMetadata.writableFormats` are written with metadata. Applied by
    /// `ImageCoderRegistry.encode(_:as:options:)`; custom encoders ignore it.
    public var metadata: Set<MetadataKind> = []
    /// The colour space of the file; sRGB by default.
    ///
    /// Formats other than `ColorSpace.formats` are always written in sRGB. ``Image/pixels`` are 8-bit sRGB, so only
    /// still images with ``Image/highRange`` have colours outside of sRGB. Applied by
    /// `ImageCoderRegistry.encode(_:as:options:)`; custom encoders ignore it.
    public var colorSpace = ColorSpace.sRGB
    /// The dynamic range of the file; standard by default.
    ///
    /// With ``DecodeOptions/DynamicRange/high``, a still image with ``Image/highRange`` is written with it, as
    /// ``highRangeForm`` says: in PQ (AVIF and HEIC with 10 bits, JPEG XL with 16), or as an 8-bit image with a gain
    /// map (JPEG, HEIC, AVIF). Any other image is written as by default. Applied by
    /// `ImageCoderRegistry.encode(_:as:options:)`; encoders ignore it.
    public var range = DecodeOptions.DynamicRange.standard
    /// How a file holds the high range; by default in PQ where the format has it, otherwise as a gain map.
    public var highRangeForm = HighRangeForm.automatic
    /// Whether the pixels are kept exactly; by default at a quality of 1.
    public var compression = Compression.automatic
    /// The time to spend on a smaller file, from 0 for the fastest encoding to 1 for the slowest; `nil` for the setting
    /// of the encoder, such as `PNGEncoder.compressionLevel`.
    ///
    /// Each encoder documents how its library scales it. JPEG, GIF and BMP ignore it.
    public var effort: Double?
    /// The resolution of the colour differences in lossy formats.
    public var chroma = Chroma.automatic
    /// Whether a JPEG can be shown coarsely as soon as its first bytes arrive (ITU-T T.81, annex G); it is usually
    /// smaller, and takes longer to decode. Other formats ignore it.
    public var isProgressive = false
    /// The channels in which the image is stored; by default the smallest that keep every pixel.
    public var colorMode = ColorMode.automatic
    /// The largest number of bits per channel; by default those of the image, if the format can have them.
    ///
    /// Applied by `ImageCoderRegistry.encode(_:as:options:)`, which calls `DeepImageEncoder.encode(_:as:options:)`.
    public var depth = Depth.sixteen
    /// Whether the authors and the copyright are written of the kinds that ``metadata`` leaves out.
    package var keepsCopyright = false
    /// The metadata for encoders whose library writes it. Other files get their metadata afterwards.
    package var written = EncodedMetadata()

    /// The maximum size of an embedded thumbnail in pixels, close to what cameras and Apple's encoders use.
    package static let thumbnailSize = PixelSize(width: 320, height: 320)

    /// Creates options; by default the best quality, on white, at full size.
    ///
    /// - Parameters:
    ///   - quality: From 0 to 1.
    ///   - background: For formats without alpha.
    ///   - maximumSize: In pixels.
    ///   - maximumByteCount: The quality is lowered until the result fits.
    ///   - embedsThumbnail: Only JPEG and HEIC have one.
    ///   - frames: Indices from 0.
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
