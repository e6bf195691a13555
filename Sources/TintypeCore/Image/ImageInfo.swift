/// The contents of an encoded image's header, known before any pixel is decoded.
public struct ImageInfo: Hashable, Sendable {
    /// The format of the bytes, as recognized from the bytes themselves.
    public var format: ImageFormat
    /// The size of the whole image as displayed, in pixels, with the orientation applied.
    public var size: PixelSize
    /// The exact size of a vector image, of which ``size`` is rounded up; `nil` for others.
    public var drawing: DrawingSize?
    /// The stored orientation. It has already been applied to ``size`` and to every decoded pixel.
    public var orientation: Orientation
    /// Whether any pixel may be transparent.
    public var hasAlpha: Bool
    /// The number of frames; 1 for a still image.
    public var frameCount: Int
    /// The total number of times that the animation plays; 0 means forever, and is also the value for a still image.
    public var loopCount: Int
    /// The stored duration of each frame, in seconds; empty for a still image.
    ///
    /// ``AnimatedImage/durations`` contains the durations for which the frames are shown.
    public var durations: [Double]
    /// The stored pixel density, which the orientation does not change; `nil` if the file does not specify it.
    public var density: PixelDensity?
    /// The number of bits of each channel in the file, such as 8, 10 or 16. 8 if the file has fewer, or no pixels.
    public var bitDepth = 8
    /// Whether the file states light brighter than reference white: by PQ or HLG, or, in a JPEG or HEIC, by a gain map.
    ///
    /// Known once the pixels are decoded, or the header of a complete file was read.
    public var isHighRange = false
    /// The damage that was found while the image was decoded, or its header was read; empty for an intact image.
    ///
    /// Damage in the pixels is known only after they are decoded. See ``DecodeOptions/damageTolerance``.
    public var warnings: [DamageWarning] = []

    /// Creates the description of an encoded image; by default an opaque, upright still image.
    ///
    /// - Parameters:
    ///   - format: The format of the bytes.
    ///   - size: In pixels, as displayed.
    ///   - orientation: As stored.
    ///   - hasAlpha: Whether any pixel may be transparent.
    ///   - frameCount: 1 for a still image.
    ///   - loopCount: 0 means forever.
    ///   - durations: In seconds, one for each frame of an animation.
    ///   - density: As stored.
    public init(
        format: ImageFormat, size: PixelSize, orientation: Orientation = .up, hasAlpha: Bool = false,
        frameCount: Int = 1, loopCount: Int = 0, durations: [Double] = [], density: PixelDensity? = nil
    ) {
        self.format = format
        self.size = size
        self.orientation = orientation
        self.hasAlpha = hasAlpha
        self.frameCount = frameCount
        self.loopCount = loopCount
        self.durations = durations
        self.density = density
    }

    /// The size of the stored image in pixels, before the orientation is applied.
    package var storedSize: PixelSize { orientation.displayed(size) }
}

/// Damage that does not prevent an image from being decoded.
public enum DamageWarning: Int, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// Some pixels differ from those that were encoded.
    case damagedPixels = 0
    /// Bytes between two blocks that belong to neither. The images after them may be missing.
    case strayBytes = 1
    /// The canvas is smaller than the first image, which determines the size instead.
    case smallCanvas = 2
    /// A worker process could not read a font or another file of the system, so that text may be missing.
    case missingFile = 3
    /// The Exif data of a PNG come after its pixels. Some programs ignore them there.
    case lateExif = 4
    /// An image in a drawing is in a format that cannot be drawn there, or damaged.
    case embeddedImage = 5
    /// The end of a GIF is missing, after its last complete image.
    case missingEnd = 6
    /// The mask of an icon is missing. All its pixels are opaque.
    case missingMask = 7
    /// The number of frames of a PNG is stated wrongly, or twice. The frames that are there and counted are shown.
    case frameCount = 8

    /// A phrase for a message: `"some pixels are damaged"`.
    public var description: String {
        switch self {
        case .damagedPixels: "some pixels are damaged"
        case .strayBytes: "there are stray bytes between blocks"
        case .smallCanvas: "the canvas is smaller than the first image"
        case .missingFile: "a font or another file could not be read"
        case .lateExif: "the Exif data come after the pixels"
        case .embeddedImage: "an embedded image cannot be drawn"
        case .missingEnd: "the end of the file is missing"
        case .missingMask: "the mask is missing"
        case .frameCount: "the number of frames is stated wrongly"
        }
    }
}

/// The density at which the pixels of a stored image are meant to be printed, in pixels per inch.
public struct PixelDensity: Hashable, Sendable {
    /// Horizontal pixels per inch.
    public let across: Double
    /// Vertical pixels per inch.
    public let down: Double

    /// Creates a density from pixels per inch.
    ///
    /// - Returns: `nil` unless both values are greater than 0 and less than 10⁹.
    public init?(across: Double, down: Double) {
        guard across > 0, down > 0, across < 1e9, down < 1e9 else { return nil }
        self.across = across
        self.down = down
    }

    /// The number of centimetres in an inch.
    package static let centimetresAnInch = 2.54
    /// The number of metres in an inch.
    package static let metresAnInch = 0.0254
}
