/// How to decode encoded bytes. Every option except ``scale`` changes the pixels and is part of the cache key.
public struct DecodeOptions: Hashable, Sendable {
    /// The rectangle to decode, in pixels of the full image as it is displayed; `nil` decodes all of it. Anything
    /// outside the image is ignored.
    public var crop: PixelRect?
    /// The size to decode the crop, or the full image, to.
    public var size: Size
    /// The frames of an animated image to decode.
    public var frames: Frames
    /// The dynamic range of the pixels.
    public var range: DynamicRange
    /// The scale of the image, in pixels per point: see ``Image/scale``. `nil` takes it from the name of the source, as
    /// in `logo@2x.png`.
    ///
    /// It is not part of the key: a cached image has the scale that the source's name states, and each request receives
    /// the scale that it asks for.
    public var scale: Double?
    /// A decoder to use instead of the one that the pipeline's ``ImageCoderRegistry`` finds. It receives bytes of any
    /// format.
    public var decoder: NamedDecoder?
    /// The format of bytes that no registered decoder recognizes, for example because the format has no signature.
    ///
    /// ``hintUse`` says whether it also replaces the format that the bytes state.
    /// ``ImageCoderRegistry/format(fileExtension:)`` returns the format for a file name extension.
    public var formatHint: ImageFormat?
    /// Whether ``formatHint`` takes precedence over the bytes.
    public var hintUse = HintUse.unrecognizedBytes
    /// The page of a document to draw, counted from 0. Only decoders of documents use it.
    public var page = 0
    /// The time in a video of the frame to show: the one that is shown then, or the last one if the video is shorter.
    /// Only decoders of videos use it.
    public var time = Duration.zero
    /// What happens to an image with more pixels than the limits allow. By default it is refused.
    public var oversized = Oversized.refused
    /// Whether to read ``Image/exif``. The option is part of the cache key, because a cached image either has Exif data
    /// or does not.
    public var keepsExif: Bool
    /// Whether to read ``Image/metadata`` and ``Image/exif``. The option is part of the cache key, like ``keepsExif``.
    public var keepsMetadata = false
    /// Whether a thumbnail that is embedded in the file may replace the image.
    public var embeddedThumbnail: EmbeddedThumbnail
    /// The damage that does not make decoding fail. ``ImageInfo/warnings`` reports it.
    public var damageTolerance = DamageTolerance.minor
    /// Whether to return the intact part of a damaged image, marked with ``Image/isPartial``, instead of throwing for
    /// damage that ``damageTolerance`` does not cover.
    ///
    /// It has an effect only with a `SalvagingImageDecoder`. Partial images are never stored on disk.
    public var allowsPartial = false
    /// The scope of the transforms that ``crop``, ``size`` and ``crops`` were taken from. Images outside the scope are
    /// decoded in full. `nil` if the options apply to all images. See ``Rendition/beginning(without:takesSize:)``.
    var sizeScope: Set<TransformScope>?
    /// Crops taken from transforms whose rectangle depends on the size in the header. Set only with ``sizeScope``.
    var crops: LeadingCrops?

    /// Creates options; by default they decode the full image and all of its frames.
    public init(
        crop: PixelRect? = nil, size: Size = .full, frames: Frames = .all, range: DynamicRange = .standard,
        scale: Double? = nil, decoder: NamedDecoder? = nil, keepsExif: Bool = false,
        embeddedThumbnail: EmbeddedThumbnail = .never
    ) {
        self.crop = crop
        self.size = size
        self.frames = frames
        self.range = range
        self.scale = scale
        self.decoder = decoder
        self.keepsExif = keepsExif
        self.embeddedThumbnail = embeddedThumbnail
    }

    /// A canonical form of the options that change pixels and differ from their defaults; empty if none does.
    ///
    /// The form is stored on disk as a part of cache keys, so it must not change.
    public var identifier: String {
        var parts = [crop.map { "crop(\($0))" } ?? "", size.identifier, frames.identifier, range.identifier].filter {
            !$0.isEmpty
        }
        if keepsExif { parts.append("exif") }
        if keepsMetadata { parts.append("metadata") }
        if embeddedThumbnail == .whereLargeEnough { parts.append("embedded") }
        if allowsPartial { parts.append("partial") }
        if damageTolerance == .none { parts.append("strict") }
        if let sizeScope { parts.append("still(\(sizeScope.identifier))") }
        if let crops { parts.append(crops.identifier) }
        if page != 0 { parts.append("page(\(page))") }
        if time != .zero { parts.append("time(\(time / .milliseconds(1)))") }
        if oversized == .scaledDown { parts.append("scaled") }
        if let formatHint {
            let name = hintUse == .always ? "as" : "hint"
            parts.append("\(name)(\(formatHint.rawValue.utf8.count):\(formatHint))")
        }
        if let decoder { parts.append("decoder(\(decoder.id.utf8.count):\(decoder.id))") }
        return parts.joined(separator: ",")
    }
}

extension DecodeOptions {
    /// Returns the options for one image, with the crop and size that apply to it.
    ///
    /// - Parameter info: The information in the header of the image.
    /// - Throws: ``TintypeError/Code/transformFailed`` if the crops leave nothing of it.
    package func resolved(for info: ImageInfo) throws(TintypeError) -> DecodeOptions {
        var options = self
        (options.sizeScope, options.crops) = (nil, nil)
        if let sizeScope, !sizeScope.admits(info, frames: frames) {
            (options.crop, options.size) = (nil, .full)
        } else if let crops {
            let part = try crops.rect(in: info.size)
            options.crop = part.size == info.size ? nil : part
        }
        return options
    }

    /// The size to decode an image to.
    ///
    /// No case enlarges a raster image. Vector images are drawn at the requested size, because they have no pixels of
    /// their own.
    public enum Size: Hashable, Sendable {
        /// The size of the image.
        case full
        /// The largest size within this box, in pixels, with the aspect ratio of the image. A side of 0 sets no limit.
        case fit(PixelSize)
        /// At most this width and this height, in pixels, each on its own: the aspect ratio may change. A side of 0
        /// sets no limit.
        case shrink(PixelSize)
        /// The smallest size that covers this box, in pixels, with the aspect ratio of the image.
        case cover(PixelSize)
        /// The largest size whose decoded pixels take at most this many bytes, with the aspect ratio of the image.
        case atMost(bytes: Int)
        /// No pixels that could be shown: one transparent pixel for a still image, at most 32×32 pixels for an
        /// animation. For requests that need the bytes or the header of a verified image. No cache stores the
        /// rendition. See `VerifyingImageDecoder`.
        case noPixels
    }

    /// The frames of an animated image to decode.
    public enum Frames: Hashable, Sendable {
        /// All frames.
        case all
        /// The first frame, as a still image.
        case first
        /// All frames; a still image throws ``TintypeError/Code/notAnimated``.
        case animatedOnly
    }

    /// When ``DecodeOptions/formatHint`` selects the decoder.
    public enum HintUse: Hashable, Sendable {
        /// If no registered decoder recognizes the bytes.
        case unrecognizedBytes
        /// Whatever the bytes look like, if a decoder for the format is registered. A raw image of a camera, for
        /// example, can be read as the TIFF that it begins like.
        case always
    }

    /// What happens to an image that exceeds ``DecodeLimits/pixels`` or ``DecodeLimits/side``.
    public enum Oversized: Hashable, Sendable {
        /// It throws ``TintypeError/Code/limitExceeded``.
        case refused
        /// It is decoded to a smaller size, which keeps to these limits and the aspect ratio: SDWebImage's
        /// `scaleDownLargeImages`. All other limits apply, ``DecodeLimits/memoryBytes`` above all, so decoders that
        /// scale while they read rows (JPEG, PNG, TIFF, BMP) decode far larger images than those whose library needs
        /// all pixels at once.
        case scaledDown
    }

    /// Whether a thumbnail that is embedded in the file may replace the image.
    ///
    /// The thumbnail may be older than the image, or show slightly more or less of it.
    public enum EmbeddedThumbnail: Hashable, Sendable {
        /// The image is always decoded.
        case never
        /// The thumbnail is used if it is at least as large as the requested size and shows the requested part.
        case whereLargeEnough
    }

    /// The damage that does not make decoding fail. A truncated file is an error at every tolerance.
    public enum DamageTolerance: Hashable, Sendable {
        /// None: an image is whole, or decoding throws ``TintypeError/Code/undecodable``.
        case none
        /// Damage in a complete file with at least one intact pass or frame, despite which common viewers show the
        /// image:
        ///
        /// - invalid codes in a JPEG after the first of its scans or, if it has only one, after its first row of
        ///   blocks;
        /// - other bytes between the blocks of a GIF after its first image;
        /// - a GIF whose canvas is smaller than its first image;
        /// - invalid codes in a HEIC with 4:2:0 or 4:2:2 chroma.
        case minor
    }

    /// The dynamic range and precision of decoded pixels.
    public enum DynamicRange: Hashable, Sendable {
        /// sRGB with 8 bits per channel; brighter values are tone-mapped into that range.
        case standard
        /// In addition, ``Image/highRange`` for a still image with more than 8 bits per channel, or for a JPEG or HEIC
        /// with a gain map (Ultra HDR, ISO 21496-1, Apple), if its decoder supports it.
        case high
    }
}

extension DecodeOptions.Size {
    /// Returns the size to decode a raster image to.
    ///
    /// - Parameter source: The size of the image, in pixels.
    /// - Returns: A size of at least 1×1 that is no larger than `source` on either side.
    public func target(for source: PixelSize) -> PixelSize {
        switch self {
        case .full: source
        case .fit(let box): source.fitted(into: box)
        case .shrink(let box): source.clamped(to: box)
        case .cover(let box): source.covering(box)
        case .atMost(let bytes): shrunk(source, toPixels: bytes / PixelBuffer.bytesPerPixel)
        case .noPixels: source.fitted(into: Self.smallest)
        }
    }

    /// Small enough that decoders scale while they decode, which costs least.
    private static let smallest = PixelSize(width: 32, height: 32)

    private func shrunk(_ source: PixelSize, toPixels limit: Int) -> PixelSize {
        guard source.area > limit else { return source }
        let limit = max(limit, 1)
        let scale = (Double(limit) / Double(source.area)).squareRoot()
        // Rounded down, so that the limit holds.
        let (width, height) = (
            max(1, Int(Double(source.width) * scale)), max(1, Int(Double(source.height) * scale))
        )
        // A side of less than one pixel is rounded up to one pixel, and the other side is reduced.
        return PixelSize(width: min(width, max(1, limit / height)), height: min(height, max(1, limit / width)))
    }

    fileprivate var identifier: String {
        switch self {
        case .full, .fit(.unlimited), .shrink(.unlimited), .cover(.unlimited): ""
        case .fit(let box): "fit(\(box))"
        // Not "shrink": keys on disk have this text.
        case .shrink(let box): "stretch(\(box))"
        case .cover(let box): "cover(\(box))"
        case .atMost(let bytes): "atMost(\(bytes))"
        case .noPixels: "none"
        }
    }
}

extension DecodeOptions.Frames {
    fileprivate var identifier: String {
        switch self {
        case .all: ""
        case .first: "first"
        case .animatedOnly: "animated"
        }
    }
}

extension DecodeOptions.DynamicRange {
    fileprivate var identifier: String { self == .high ? "high" : "" }
}

extension PixelSize {
    /// A box that limits neither side.
    fileprivate static let unlimited = PixelSize(width: 0, height: 0)
}

/// A decoder for individual requests, with a name that is part of their cache keys.
///
/// Equal names must mean equal pixels: the name identifies the decoder and its settings.
public struct NamedDecoder: Hashable, Sendable {
    /// The name of the decoder in cache keys.
    package let id: String
    /// The decoder.
    @Uncompared package private(set) var decoder: any ImageDecoder

    /// Creates a named decoder.
    public init(id: String, decoder: any ImageDecoder) {
        self.id = id
        self.decoder = decoder
    }
}
