/// The format of encoded picture bytes.
///
/// An open type: a coder from outside adds a format by making a value of its own.
public struct ImageFormat: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The short lower-case name, as in the command's output: `"jpeg"`.
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let jpeg = ImageFormat(rawValue: "jpeg")
    public static let png = ImageFormat(rawValue: "png")
    public static let gif = ImageFormat(rawValue: "gif")
    public static let webp = ImageFormat(rawValue: "webp")
    public static let heic = ImageFormat(rawValue: "heic")
    public static let avif = ImageFormat(rawValue: "avif")
    public static let jxl = ImageFormat(rawValue: "jxl")
    public static let tiff = ImageFormat(rawValue: "tiff")
    public static let bmp = ImageFormat(rawValue: "bmp")
    public static let ico = ImageFormat(rawValue: "ico")
    public static let svg = ImageFormat(rawValue: "svg")

    public var description: String { rawValue }

    /// Whether such a picture has no pixels of its own, and is drawn at any size.
    public var isVector: Bool { self == .svg }
}

extension ImageFormat {
    /// The format that a file name's extension names, for choosing what to *write*; `nil` when unknown.
    ///
    /// What is *read* is told by its bytes alone: see ``FormatSniffer``.
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

    /// The usual extension of a file of this format, without the dot.
    public var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

    /// The media type (RFC 2046), as an `Accept` header lists it.
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
