/// The format of encoded image bytes.
///
/// The set of formats is open: a third-party coder adds a format by creating a value with a name and properties of its
/// own (``init(rawValue:mediaType:fileExtensions:isVector:)``). Formats with the same name are equal.
public struct ImageFormat: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The short lower-case name, as the command prints it: `"jpeg"`.
    public let rawValue: String
    /// The properties that a third-party coder has set; `nil` for Tintype's formats, and for a format created from its
    /// name.
    private let ownProperties: Properties?

    /// The properties other than the name. A class, so that a format is only one word larger than its name.
    private final class Properties: Sendable {
        let mediaType: String
        let fileExtensions: [String]
        let isVector: Bool

        init(_ mediaType: String, _ fileExtensions: [String], isVector: Bool = false) {
            self.mediaType = mediaType
            self.fileExtensions = fileExtensions
            self.isVector = isVector
        }
    }

    /// Creates a format from its short lower-case name.
    ///
    /// If Tintype knows the name, the other properties are those of the known format. Otherwise the media type is
    /// `image/NAME`, and the file name extension is the name.
    public init(rawValue: String) {
        self.rawValue = rawValue
        ownProperties = nil
    }

    /// Creates a format that Tintype does not know.
    ///
    /// - Parameters:
    ///   - rawValue: The short lower-case name.
    ///   - mediaType: The media type (RFC 2046), such as `application/pdf`.
    ///   - fileExtensions: The file name extensions in lower case, without the dot, the usual one first. If empty, the
    ///     extension is the name.
    ///   - isVector: Whether images have no pixels of their own and can be drawn at any size.
    public init(rawValue: String, mediaType: String, fileExtensions: [String] = [], isVector: Bool = false) {
        self.rawValue = rawValue
        ownProperties = Properties(mediaType, fileExtensions, isVector: isVector)
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
}

// MARK: - Properties

extension ImageFormat {
    /// Whether images of this format have no pixels of their own and can be drawn at any size.
    public var isVector: Bool { properties?.isVector ?? false }

    /// The usual file name extension of this format, without the dot.
    public var fileExtension: String { fileExtensions[0] }

    /// The file name extensions of this format in lower case, without the dot; at least one, the usual one first.
    package var fileExtensions: [String] {
        if let names = properties?.fileExtensions, !names.isEmpty { names } else { [rawValue] }
    }

    /// The media type (RFC 2046), as listed in an `Accept` header field.
    public var mediaType: String { properties?.mediaType ?? "image/\(rawValue)" }

    /// Creates the format with a file name extension, among Tintype's formats, to choose the format to *write*.
    ///
    /// The format of a file that is *read* is recognized from its bytes alone: see ``FormatSniffer``. The formats of
    /// third-party coders are found by ``ImageCoderRegistry/format(fileExtension:)``.
    ///
    /// - Parameter fileExtension: The extension without the dot; upper and lower case are equivalent.
    /// - Returns: `nil` for an unknown extension.
    public init?(fileExtension: String) {
        guard let name = Self.nameOfExtension[fileExtension.lowercased()] else { return nil }
        self.init(rawValue: name)
    }

    private var properties: Properties? { ownProperties ?? Self.known[rawValue] }

    private static let known = [
        "jpeg": Properties("image/jpeg", ["jpg", "jpeg", "jpe", "jfif", "jfi", "jif", "pjpeg", "pjp"]),
        "png": Properties("image/png", ["png", "apng"]),
        "gif": Properties("image/gif", ["gif"]),
        "webp": Properties("image/webp", ["webp"]),
        "heic": Properties("image/heic", ["heic", "heif", "hif", "heics", "heifs"]),
        "avif": Properties("image/avif", ["avif", "avifs"]),
        "jxl": Properties("image/jxl", ["jxl"]),
        "tiff": Properties("image/tiff", ["tiff", "tif"]),
        "bmp": Properties("image/bmp", ["bmp", "dib"]),
        "ico": Properties("image/vnd.microsoft.icon", ["ico", "cur"]),
        "svg": Properties("image/svg+xml", ["svg", "svgz"], isVector: true),
    ]

    private static let nameOfExtension: [String: String] = {
        let pairs = known.flatMap { name, properties in properties.fileExtensions.map { ($0, name) } }
        return Dictionary(uniqueKeysWithValues: pairs)
    }()
}
