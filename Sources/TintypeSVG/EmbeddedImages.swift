import Foundation
import TintypeCore

/// Prepares the images in `data:` URLs of a document for librsvg: it believes their labels, which browsers ignore,
/// draws no WebP, and does not turn JPEGs upright (CSS Images 3, 5.4, `image-orientation`). A plain search for the
/// URLs, which parses no XML.
struct EmbeddedImages {
    /// The document with right labels, with PNGs in place of formats that librsvg does not draw, and with upright PNGs
    /// in place of turned JPEGs that can be decoded and have room.
    private(set) var markup: Data
    /// Whether librsvg draws nothing in place of an image, because it could not be prepared.
    private(set) var hasLost = false

    /// Formats that gdk-pixbuf draws without further modules.
    private static let drawn: Set<ImageFormat> = [.png, .jpeg, .gif, .svg, .bmp, .ico, .tiff]

    /// - Parameters:
    ///   - document: The markup, in an encoding that contains ASCII; nothing is found in others.
    ///   - limit: The largest number of bytes of the result, unless the document has more.
    init(in document: Data, limit: Int, _ limits: DecodeLimits) {
        markup = document
        var (result, copied, search) = (Data(), document.startIndex, document.startIndex)
        var room = limit - document.count
        while let url = document[search...].firstRange(of: Data("data:".utf8)) {
            search = url.upperBound
            guard let label = Self.label(document[search...]) else { continue }
            let payload = Self.payload(document[(label.upperBound + 1)...])
            search = payload.endIndex
            guard let change = change(of: document[label], payload, room: room, limits) else { continue }
            room -= change.growth
            result += document[copied..<url.upperBound] + change.label
            copied = label.upperBound
            guard let image = change.image else { continue }
            result += Data(",".utf8) + image
            copied = payload.endIndex
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
        /// The bytes by which the document becomes longer.
        let growth: Int
    }

    /// Returns what replaces the label and the image; `nil` if they stay.
    ///
    /// - Parameter room: The bytes by which the document may become longer.
    private mutating func change(of label: Data, _ payload: Data, room: Int, _ limits: DecodeLimits) -> Change? {
        // The element of an SVG may come after a long prolog.
        guard let format = Self.format(of: payload.prefix(200)) ?? Self.format(of: payload.prefix(100 << 10)) else {
            hasLost = true
            return nil
        }
        let isDrawn = Self.drawn.contains(format)
        if !isDrawn || Self.isTurned(payload, format), let png = Self.png(of: payload, format, limits) {
            let change = Self.change(of: label, to: .png, payload, image: png)
            if change.growth <= room { return change }
        }
        let change = Self.change(of: label, to: format, payload)
        guard isDrawn, change.growth <= room else {
            hasLost = true
            return nil
        }
        return change.label.elementsEqual(label) ? nil : change
    }

    private static func change(
        of label: Data, to format: ImageFormat, _ payload: Data, image: Data? = nil
    ) -> Change {
        let right = Data("\(format.mediaType);base64".utf8)
        let growth = right.count - label.count + (image.map { $0.count - payload.count } ?? 0)
        return Change(label: right, image: image, growth: growth)
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

    /// Returns an image as PNG in base64; `nil` if it cannot be decoded.
    private static func png(of payload: Data, _ format: ImageFormat, _ limits: DecodeLimits) -> Data? {
        guard let decoder = decoder(of: format), let bytes = decoded(payload) else { return nil }
        let context = DecodeContext(options: DecodeOptions(frames: .first), limits: limits)
        guard let pixels = try? decoder.decode(bytes, context: context).pixels.unpremultiplied() else { return nil }
        return StoredPNG.bytes(of: pixels)?.base64EncodedData()
    }
}
