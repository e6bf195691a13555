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

    /// Whether there is no metadata of any kind.
    package var isEmpty: Bool { exif == nil && xmp == nil && iptc == nil && comment == nil }

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
    /// The IPTC records. They may name a city in words. Formats other than JPEG, PNG and TIFF have no place for
    /// records: there they become properties of the XMP packet, unless it has them.
    case iptc
    /// The comment, in GIF, JPEG and PNG.
    case comment
    /// The colour profile of the written pixels: sRGB, to which decoders convert, or that of
    /// ``EncodeOptions/colorSpace``. JPEG XL names its colours without a profile.
    case icc
    /// The location at which the image was taken (GPS), in the Exif data and the XMP packet.
    case location
}
