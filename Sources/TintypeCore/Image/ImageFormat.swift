/// The format of encoded image bytes.
///
/// The set of formats is open: a third-party coder adds a format by creating a value with a name of its own.
public struct ImageFormat: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The short lower-case name, as the command prints it: `"jpeg"`.
    public let rawValue: String

    /// Creates a format with a short lower-case name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// JPEG (ITU-T T.81).
    public static let jpeg = ImageFormat(rawValue: "jpeg")
    /// PNG, and its animated extension APNG.
    public static let png = ImageFormat(rawValue: "png")
    /// GIF 87a and 89a.
    public static let gif = ImageFormat(rawValue: "gif")
    /// WebP, still and animated.
    public static let webp = ImageFormat(rawValue: "webp")
    /// HEIC: HEVC images and image sequences in an HEIF container (ISO/IEC 23008-12).
    public static let heic = ImageFormat(rawValue: "heic")
    /// AVIF: AV1 images and image sequences.
    public static let avif = ImageFormat(rawValue: "avif")
    /// JPEG XL (ISO/IEC 18181), bare codestream or container.
    public static let jxl = ImageFormat(rawValue: "jxl")
    /// TIFF 6.0 and BigTIFF.
    public static let tiff = ImageFormat(rawValue: "tiff")
    /// Windows bitmap.
    public static let bmp = ImageFormat(rawValue: "bmp")
    /// Windows icon or cursor.
    public static let ico = ImageFormat(rawValue: "ico")
    /// Scalable Vector Graphics.
    public static let svg = ImageFormat(rawValue: "svg")

    /// The short lower-case name, equal to ``rawValue``.
    public var description: String { rawValue }

    /// Whether images of this format have no pixels of their own and can be drawn at any size.
    public var isVector: Bool { self == .svg }
}

extension ImageFormat {
    /// Creates the format that a file name extension stands for, to choose the format to *write*.
    ///
    /// The format of a file that is *read* is recognized from its bytes alone: see ``FormatSniffer``.
    ///
    /// - Parameter fileExtension: The extension without the dot; upper and lower case are equivalent.
    /// - Returns: `nil` for an unknown extension.
    public init?(fileExtension: String) {
        switch fileExtension.lowercased() {
        case "jpg", "jpeg", "jpe", "jfif": self = .jpeg
        case "png", "apng": self = .png
        case "tif", "tiff": self = .tiff
        case "heic", "heif", "heics": self = .heic
        case let name where Self.known.contains(ImageFormat(rawValue: name)): self.init(rawValue: name)
        default: return nil
        }
    }

    /// The usual file name extension of this format, without the dot.
    public var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

    /// The media type (RFC 2046), as listed in an `Accept` header field.
    public var mediaType: String {
        switch self {
        case .svg: "image/svg+xml"
        case .ico: "image/vnd.microsoft.icon"
        default: "image/\(rawValue)"
        }
    }

    private static let known: Set<ImageFormat> = [
        .jpeg, .png, .gif, .webp, .heic, .avif, .jxl, .tiff, .bmp, .ico, .svg,
    ]
}
