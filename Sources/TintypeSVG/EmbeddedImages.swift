import Foundation
import TintypeCore

/// Prepares the images in `data:` URLs of a document for librsvg: it believes their labels, which browsers ignore,
/// draws no WebP, and does not turn JPEGs upright (CSS Images 3, 5.4, `image-orientation`). A plain search for the
/// URLs, which parses no XML.
struct EmbeddedImages {
    /// The document with right labels, and with PNGs in place of formats that librsvg does not draw.
    private(set) var markup: Data
    /// Whether an image could not be prepared, so that librsvg draws nothing in its place.
    private(set) var hasLost = false

    /// Formats that gdk-pixbuf draws without further modules.
    private static let drawn: Set<ImageFormat> = [.png, .jpeg, .gif, .svg, .bmp, .ico, .tiff]

    /// - Parameters:
    ///   - document: The markup, in an encoding that contains ASCII; nothing is found in others.
    ///   - limit: The largest number of bytes of the result.
    init(in document: Data, limit: Int, _ limits: DecodeLimits) {
        markup = document
        var (result, copied, search) = (Data(), document.startIndex, document.startIndex)
        while let url = document[search...].firstRange(of: Data("data:".utf8)) {
            search = url.upperBound
            guard let label = Self.label(document[search...]) else { continue }
            let payload = Self.payload(document[(label.upperBound + 1)...])
            search = payload.endIndex
            guard let change = change(of: document[label], payload, limits) else { continue }
            result += document[copied..<url.upperBound] + change.label
            copied = label.upperBound
            guard let image = change.image else { continue }
            result += Data(",".utf8) + image
            copied = payload.endIndex
            guard result.count <= limit else {
                hasLost = true
                return
            }
        }
        guard copied > document.startIndex else { return }
        markup = result + document[copied...]
    }

    // MARK: One image

    /// Returns the media type and the parameters, up to the comma; `nil` unless they name an image in base64.
    private static func label(_ rest: Data) -> Range<Data.Index>? {
        guard let comma = rest.prefix(100).firstIndex(of: UInt8(ascii: ",")) else { return nil }
        let text = String(decoding: rest[..<comma], as: UTF8.self).lowercased()
        guard text.hasSuffix(";base64"), text.hasPrefix("image/") || text.hasPrefix("application/octet-stream")
        else { return nil }
        return rest.startIndex..<comma
    }

    /// Returns the base64 text at the start, which may contain white space.
    private static func payload(_ rest: Data) -> Data {
        let end = rest.firstIndex { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="), 0x20,
                0x09,
                0x0A, 0x0D:
                false
            default: true
            }
        }
        return rest[..<(end ?? rest.endIndex)]
    }

    private struct Change {
        let label: Data
        /// The image in base64, if it is another one.
        var image: Data?
    }

    /// Returns what replaces the label and the image; `nil` if they stay.
    private mutating func change(of label: Data, _ payload: Data, _ limits: DecodeLimits) -> Change? {
        // The element of an SVG may come after a long prolog.
        guard let format = Self.format(of: payload.prefix(200)) ?? Self.format(of: payload.prefix(100 << 10)) else {
            hasLost = true
            return nil
        }
        if Self.drawn.contains(format), !Self.isTurned(payload, format) {
            let right = Data("\(format.mediaType);base64".utf8)
            return right.elementsEqual(label) ? nil : Change(label: right)
        }
        guard let png = Self.decoded(payload).flatMap({ Self.png(of: $0, format, limits) }) else {
            hasLost = true
            return nil
        }
        return Change(label: Data("image/png;base64".utf8), image: png.base64EncodedData())
    }

    /// Whether an image is a JPEG whose Exif data say that it lies on its side, or is mirrored.
    private static func isTurned(_ payload: Data, _ format: ImageFormat) -> Bool {
        guard format == .jpeg, let decoder = decoder(of: format), let start = decoded(payload.prefix(100 << 10)),
            let info = try? decoder.info(of: start, isComplete: false)
        else { return false }
        return info.orientation != .up
    }

    private static func format(of text: Data) -> ImageFormat? { decoded(text).flatMap(FormatSniffer.format) }

    /// Decodes base64 as far as whole groups are there.
    private static func decoded(_ text: Data) -> Data? {
        let plain = text.filter { $0 > 0x20 }
        let isWhole = plain.last == UInt8(ascii: "=")
        return Data(base64Encoded: isWhole ? plain : plain.prefix(plain.count / 4 * 4))
    }

    // MARK: Other formats

    /// The decoders of the other formats, if the program links them. A worker for SVG can load no library, so that only
    /// WebP and JPEG, whose libraries are linked, are decoded there.
    private static let decoders: [ImageFormat: String] = [
        .jpeg: "11TintypeJPEG11JPEGDecoderV", .webp: "11TintypeWebP11WebPDecoderV",
        .avif: "11TintypeAVIF11AVIFDecoderV", .jxl: "10TintypeJXL10JXLDecoderV",
    ]

    private static func decoder(of format: ImageFormat) -> (any ImageDecoder)? {
        decoders[format].flatMap { _typeByName($0) as? any SandboxableImageDecoder.Type }?.init()
    }

    private static func png(of bytes: Data, _ format: ImageFormat, _ limits: DecodeLimits) -> Data? {
        guard let decoder = decoder(of: format) else { return nil }
        let context = DecodeContext(options: DecodeOptions(frames: .first), limits: limits)
        guard let pixels = try? decoder.decode(bytes, context: context).pixels.unpremultiplied() else { return nil }
        return StoredPNG.bytes(of: pixels)
    }
}
