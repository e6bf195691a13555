/// How the bytes become pixels. All of it is in the key but ``scale``, which changes none.
public struct DecodeOptions: Hashable, Sendable {
    /// The part that is wanted, in pixels of the whole picture as it is displayed; what of it is outside is left out.
    /// `nil` is all.
    public var crop: PixelRect?
    /// The size of that part.
    public var size: Size
    /// Which frames of an animated picture.
    public var frames: Frames
    /// Whether what is brighter than white is kept beside the ordinary pixels.
    public var range: DynamicRange
    /// Pixels a point of the picture: see ``Image/scale``. `nil` reads it from the source's name, as in `logo@2x.png`.
    ///
    /// Not in the key: caches keep the scale of the name, and each request is given the one that it asks for.
    public var scale: Double?
    /// Instead of the one that the pipeline's ``ImageCoderRegistry`` finds; it is given the bytes whatever they are.
    public var decoder: NamedDecoder?
    /// Whether ``Image/exif`` is kept. In the key, since a picture in a cache either has it or not.
    public var keepsExif: Bool
    /// Whether a smaller picture that the file carries beside the whole may be shown instead, where it is as large as what
    /// is asked for. It may be older than the picture, or show a little more or less of it.
    public var embeddedThumbnail: EmbeddedThumbnail
    /// Whether the part of a damaged picture that can be shown is shown, as ``Image/isPartial``, where its decoder is a
    /// ``SalvagingImageDecoder``. Otherwise damage is an error. What is partial is never stored on disk.
    public var allowsPartial = false
    /// Where part and size were taken over from transforms: the pictures beside still ones that they are meant for; any
    /// other is decoded whole. `nil` where they are meant for all. See ``Rendition/beginning(without:takesSize:)``.
    var sizeScope: TransformScope?
    /// Crops that were taken over from transforms, beside ``sizeScope``, and whose rectangle only the header tells.
    var crops: LeadingCrops?

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

    /// A canonical form with every setting that changes pixels and differs from the default; empty when none does.
    public var identifier: String {
        var parts = [crop.map { "crop(\($0))" } ?? "", size.identifier, frames.identifier, range.identifier].filter {
            !$0.isEmpty
        }
        if keepsExif { parts.append("exif") }
        if embeddedThumbnail == .whereLargeEnough { parts.append("embedded") }
        if allowsPartial { parts.append("partial") }
        if let sizeScope { parts.append("still(\(sizeScope.identifier))") }
        if let crops { parts.append(crops.identifier) }
        if let decoder { parts.append("decoder(\(decoder.id.utf8.count):\(decoder.id))") }
        return parts.joined(separator: ",")
    }
}

extension DecodeOptions {
    /// What is asked of the decoder of a picture that calls itself this.
    ///
    /// - Throws: ``TintypeError/Code/transformFailed`` when crops leave nothing of it.
    func resolved(for info: ImageInfo) throws(TintypeError) -> DecodeOptions {
        var options = self
        (options.sizeScope, options.crops) = (nil, nil)
        if let sizeScope, !sizeScope.admits(info, frames) {
            (options.crop, options.size) = (nil, .full)
        } else if let crops {
            let part = try crops.rect(in: info.size)
            options.crop = part.size == info.size ? nil : part
        }
        return options
    }

    /// How many pixels are wanted. One rule, so that no two can contradict each other; none makes a picture larger, but
    /// that a vector picture, which has no pixels of its own, is drawn as large as is asked.
    public enum Size: Hashable, Sendable {
        /// As many as the picture has.
        case full
        /// At most this wide and high, keeping the aspect ratio; a side of 0 does not limit.
        case fit(PixelSize)
        /// At most this wide and high, each side on its own.
        case shrink(PixelSize)
        /// As few pixels as cover this size, keeping the aspect ratio.
        case cover(PixelSize)
        /// At most this many bytes decoded, keeping the aspect ratio.
        case atMost(bytes: Int)
    }

    /// Which frames of an animated picture are wanted.
    public enum Frames: Hashable, Sendable {
        /// All that it has.
        case all
        /// The first, as a still picture.
        case first
        /// All; a still picture is ``TintypeError/Code/notAnimated``.
        case animatedOnly
    }

    /// Whether a thumbnail in the file may stand for the picture.
    public enum EmbeddedThumbnail: Hashable, Sendable {
        case never
        /// Where it is at least as large as what is asked for, and shows as much.
        case whereLargeEnough
    }

    /// How bright and how finely graded pixels may be.
    public enum DynamicRange: Hashable, Sendable {
        /// sRGB of 8 bits a channel; what is brighter than white is brought below it.
        case standard
        /// Beside it what a still picture of more than 8 bits has, where its decoder can keep it: ``Image/highRange``.
        case high
    }
}

extension DecodeOptions.Size {
    /// The size to decode a picture of `source` pixels to; never larger on either side, at least 1×1.
    public func target(for source: PixelSize) -> PixelSize {
        switch self {
        case .full: source
        case .fit(let box): source.fitted(into: box)
        case .shrink(let box): source.clamped(to: box)
        case .cover(let box): source.covering(box)
        case .atMost(let bytes): shrunk(source, toPixels: bytes / PixelBuffer.bytesPerPixel)
        }
    }

    /// The size to draw a vector picture of `source` pixels at: also a larger one.
    public func vectorTarget(for source: PixelSize) -> PixelSize {
        guard source.isPositive else { return source }
        return switch self {
        case .full, .atMost: target(for: source)
        case .fit(let box): source.fitted(into: box, enlarging: true)
        case .shrink(let box):
            PixelSize(
                width: box.width > 0 ? box.width : source.width, height: box.height > 0 ? box.height : source.height)
        case .cover(let box): source.covering(box, enlarging: true)
        }
    }

    private func shrunk(_ source: PixelSize, toPixels limit: Int) -> PixelSize {
        guard source.area > limit else { return source }
        let scale = (Double(max(limit, 1)) / Double(source.area)).squareRoot()
        // Rounded down, since the limit is a promise.
        return PixelSize(
            width: max(1, Int(Double(source.width) * scale)), height: max(1, Int(Double(source.height) * scale)))
    }

    fileprivate var identifier: String {
        switch self {
        case .full, .fit(.unlimited), .shrink(.unlimited), .cover(.unlimited): ""
        case .fit(let box): "fit(\(box))"
        case .shrink(let box): "stretch(\(box))"
        case .cover(let box): "cover(\(box))"
        case .atMost(let bytes): "atMost(\(bytes))"
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

/// A decoder for some requests alone, under a name that enters their keys.
///
/// Equal names mean equal pixels: the name says which decoder it is and how it is set.
public struct NamedDecoder: Sendable {
    public let id: String
    public let decoder: any ImageDecoder

    public init(id: String, _ decoder: any ImageDecoder) {
        self.id = id
        self.decoder = decoder
    }
}

extension NamedDecoder: Hashable {
    public static func == (left: NamedDecoder, right: NamedDecoder) -> Bool { left.id == right.id }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
    }
}
