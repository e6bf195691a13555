public import Foundation

/// Recognizes the formats of Tintype by the first bytes of an image, never by a name. Other formats are recognized by
/// their decoders (``RecognizingImageDecoder``).
public enum FormatSniffer {
    /// The number of bytes that are examined; more if they begin like XML.
    package static let length = 64
    /// The number of bytes in which the root element of an SVG must begin. A declaration, a document type with
    /// entities, or an editor's comment may precede it.
    private static let xmlLength = 64 << 10

    /// Returns the format of an image from its first bytes; `nil` for an unknown format.
    public static func format(of bytes: Data) -> ImageFormat? {
        let head = Array(bytes.prefix(length))
        if isJPEGLS(head) { return .jpegLS }
        return signatures.first { $0.matches(head) }?.format ?? brandedFormat(head) ?? (isICO(head) ? .ico : nil)
            ?? (isBMP(head) ? .bmp : nil) ?? (isSVG(bytes) ? .svg : nil)
    }

    /// Describes bytes that are not an image, for an error message.
    static func guess(_ bytes: Data) -> String {
        guard !bytes.isEmpty else { return "nothing" }
        let head = bytes.prefix(length)
        guard let text = String(data: head.prefix(while: { $0 < 0x80 }), encoding: .utf8), text.utf8.count == head.count
        else { return "unknown bytes" }
        let start = text.drop(while: \.isWhitespace).lowercased()
        return start.hasPrefix("<!doctype html") || start.hasPrefix("<html") ? "an HTML page" : "text"
    }

    /// Bytes that must occur at certain offsets.
    private struct Signature: Sendable {
        let format: ImageFormat
        let parts: [(offset: Int, bytes: [UInt8])]

        init(_ format: ImageFormat, _ parts: (Int, [UInt8])...) {
            self.format = format
            self.parts = parts.map { (offset: $0.0, bytes: $0.1) }
        }

        func matches(_ head: [UInt8]) -> Bool {
            parts.allSatisfy { head.dropFirst($0.offset).starts(with: $0.bytes) }
        }
    }

    private static let signatures = [
        Signature(.jpeg, (0, [0xFF, 0xD8, 0xFF])),
        Signature(.png, (0, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])),
        Signature(.gif, (0, Array("GIF87a".utf8))),
        Signature(.gif, (0, Array("GIF89a".utf8))),
        Signature(.webp, (0, Array("RIFF".utf8)), (8, Array("WEBP".utf8))),
        Signature(.tiff, (0, [0x49, 0x49, 0x2A, 0x00])),
        Signature(.tiff, (0, [0x4D, 0x4D, 0x00, 0x2A])),
        // BigTIFF.
        Signature(.tiff, (0, [0x49, 0x49, 0x2B, 0x00, 0x08, 0x00])),
        Signature(.tiff, (0, [0x4D, 0x4D, 0x00, 0x2B, 0x00, 0x08])),
        Signature(.jxl, (0, [0xFF, 0x0A])),
        Signature(.jxl, (0, [0x00, 0x00, 0x00, 0x0C, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A])),
        // Compressed with gzip (RFC 1952), which no other format here uses. The decoder checks whether it is an SVG.
        Signature(.svg, (0, [0x1F, 0x8B, 0x08])),
    ]

    /// Whether bytes begin like a JPEG-LS (ISO/IEC 14495-1), which has another frame header than a JPEG: SOF55.
    /// Application data may precede it.
    private static func isJPEGLS(_ head: [UInt8]) -> Bool {
        guard head.starts(with: [0xFF, 0xD8]) else { return false }
        var offset = 2
        while offset + 4 <= head.count, head[offset] == 0xFF {
            switch head[offset + 1] {
            case 0xF7: return true
            case 0xE0...0xEF, 0xFE: offset += 2 + Int(head[offset + 2]) << 8 + Int(head[offset + 3])
            default: return false
            }
        }
        return false
    }

    /// Returns the format that the brands in the first box of an ISO base media file name (ISO/IEC 14496-12, 4.3).
    private static func brandedFormat(_ head: [UInt8]) -> ImageFormat? {
        guard head.count >= 12, head[4..<8].elementsEqual("ftyp".utf8) else { return nil }
        let size = Int(head[2]) << 8 | Int(head[3])
        let end = min(head.count, max(size, 12))
        // The major brand is at 8, the minor version at 12, the compatible brands from 16 on.
        let offsets = [8] + stride(from: 16, through: end - 4, by: 4)
        let names = offsets.map { String(decoding: head[$0..<$0 + 4], as: UTF8.self) }
        if let name = names.first(where: { brands[$0] != nil }) { return brands[name] }
        // A brand that names the codec may follow.
        let isWhole = head.count >= min(size, length)
        return isWhole && names.contains(where: generalBrands.contains) ? .heic : nil
    }

    private static let brands: [String: ImageFormat] = [
        "avif": .avif, "avis": .avif,
        "heic": .heic, "heix": .heic, "heim": .heic, "heis": .heic, "hevc": .heic, "hevx": .heic,
        "hevm": .heic, "hevs": .heic,
        "jxl ": .jxl,
    ]

    /// The brands of images and sequences whose codec is not stated (ISO/IEC 23008-12, 10.2). HEVC is the usual one.
    private static let generalBrands: Set<String> = ["mif1", "msf1"]

    /// Whether bytes begin like an icon or a cursor, which is an icon with a hot spot. A TGA may begin with the same
    /// four bytes; its next two are zero, which would be an icon without images.
    private static func isICO(_ head: [UInt8]) -> Bool {
        head.count >= 6 && [[0, 0, 1, 0], [0, 0, 2, 0]].contains(Array(head.prefix(4))) && head[4] | head[5] != 0
    }

    /// Whether bytes begin like a Windows bitmap: "BM" alone also begins plain texts. The four bytes after the size are
    /// reserved, and zero in most files; in the others, the size of the second header must be a known one.
    private static func isBMP(_ head: [UInt8]) -> Bool {
        guard head.count >= 10, head.starts(with: "BM".utf8) else { return false }
        if head[6..<10].allSatisfy({ $0 == 0 }) { return true }
        guard head.count >= 18, head[15..<18].allSatisfy({ $0 == 0 }) else { return false }
        return bitmapHeaderSizes.contains(head[14])
    }

    private static let bitmapHeaderSizes: Set<UInt8> = [12, 16, 40, 52, 56, 64, 108, 124]

    // MARK: SVG

    private static func isSVG(_ bytes: Data) -> Bool { xmlRoot(of: bytes) == .element("svg") }

    /// Whether the first bytes of an image may still turn out to be those of an SVG, with a long prolog.
    static func needsMore(_ bytes: Data) -> Bool { bytes.count < xmlLength && xmlRoot(of: bytes) == .incomplete }

    /// Whether bytes begin like XML, of whatever kind.
    package static func isXML(_ bytes: Data) -> Bool { xmlRoot(of: bytes) != .none }

    private static func xmlRoot(of bytes: Data) -> XMLProlog.Root {
        guard let first = bytes.first, xmlStarts.contains(first) else { return .none }
        return XMLProlog.root(of: bytes.prefix(xmlLength))
    }

    /// The first bytes of "<", of white space, and of byte order marks.
    private static let xmlStarts: Set<UInt8> = [UInt8(ascii: "<"), 0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xFE, 0xFF, 0x00]
}

extension ImageFormat {
    /// JPEG-LS, for which no decoder is registered.
    fileprivate static let jpegLS = ImageFormat(rawValue: "jpeg-ls", mediaType: "image/jls", fileExtensions: ["jls"])
}
