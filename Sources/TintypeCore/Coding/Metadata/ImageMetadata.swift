public import Foundation

/// The metadata that a file contains in addition to its pixels: Exif, XMP and IPTC data, and a comment.
public struct ImageMetadata: Hashable, Sendable {
    /// The Exif data.
    public var exif: ExifData?
    /// The XMP packet (ISO 16684-1): RDF in UTF-8.
    public var xmp: Data?
    /// The IPTC records (IPTC-IIM 4.2), from the first record marker on.
    public var iptc: Data?
    /// The comment of a GIF, JPEG or PNG. Several are joined by line feeds.
    public var comment: String?

    /// Creates metadata; by default none.
    public init(exif: ExifData? = nil, xmp: Data? = nil, iptc: Data? = nil, comment: String? = nil) {
        self.exif = exif
        self.xmp = xmp
        self.iptc = iptc
        self.comment = comment
    }

    /// The formats that are written with metadata.
    ///
    /// See ``writableKinds(for:)`` for what each of them can have.
    public static let writableFormats: Set<ImageFormat> = [.jpeg, .png, .webp, .avif, .heic, .jxl, .tiff, .gif]

    /// Returns the kinds of metadata that are written in a format; none for a format without metadata.
    public static func writableKinds(for format: ImageFormat) -> Set<MetadataKind> {
        switch format {
        case .jpeg, .png: Set(MetadataKind.allCases)
        case .gif: [.xmp, .iptc, .comment, .location]
        case _ where writableFormats.contains(format): Set(MetadataKind.allCases).subtracting([.comment])
        default: []
        }
    }

    /// Whether there is no metadata of any kind.
    public var isEmpty: Bool { exif == nil && xmp == nil && iptc == nil && comment == nil }

    /// The number of bytes of memory that it occupies.
    var byteCount: Int {
        [exif?.bytes.count, xmp?.count, iptc?.count, comment?.utf8.count].reduce(0) { $0 + ($1 ?? 0) }
    }
}

/// A kind of metadata that an encoder may write; see ``EncodeOptions/metadata``.
public enum MetadataKind: String, Hashable, Sendable, CaseIterable {
    /// The Exif data, without the thumbnail, and without the location unless ``location`` is also included.
    case exif
    /// The XMP packet, without the location unless ``location`` is also included.
    case xmp
    /// The IPTC records. They may name a city in words. Formats other than JPEG, PNG and TIFF have no place for records: there
    /// they become properties of the XMP packet, unless it has them.
    case iptc
    /// The comment, in GIF, JPEG and PNG.
    case comment
    /// The colour profile of the written pixels: sRGB, to which decoders convert, or that of ``EncodeOptions/colorSpace``.
    /// JPEG XL names its colours without a profile.
    case icc
    /// The location at which the image was taken (GPS), in the Exif data and the XMP packet.
    case location
}

extension ImageMetadata {
    /// Returns the metadata to write with the pixels of an upright image.
    ///
    /// Decoders have applied the orientation, so the written orientation is 1. The written size is that of the pixels.
    ///
    /// - Parameters:
    ///   - kinds: The kinds to keep.
    ///   - size: The size of the written image in pixels.
    func filtered(to kinds: Set<MetadataKind>, size: PixelSize) -> ImageMetadata {
        var kept = ImageMetadata()
        let keepsLocation = kinds.contains(.location)
        if kinds.contains(.exif) { kept.exif = exif?.rewritten(size: size, keepsLocation: keepsLocation) }
        if kinds.contains(.xmp) { kept.xmp = xmp.flatMap { XMPPacket($0)?.rewritten(keepsLocation: keepsLocation) } }
        if kinds.contains(.iptc) { kept.iptc = iptc }
        if kinds.contains(.comment) { kept.comment = comment }
        return kept
    }
}
