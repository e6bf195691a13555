import Foundation
import TintypeCore

/// The content that a `data:` URL embeds in an SVG (RFC 2397).
enum SVGEmbedding {
    /// Another SVG.
    case document([UInt8])
    /// A raster image of a size in pixels.
    case image(PixelSize)
    /// Nothing.
    case empty
    /// Anything else, which librsvg may be able to read.
    case unknown

    /// Returns what follows the scheme of a `data:` URL, or `nil` for another URL.
    static func url(in text: [UInt8]) -> ArraySlice<UInt8>? {
        let url = text.drop { $0 <= 0x20 }
        let scheme = url.prefix(SVGText.dataScheme.count)
        return SVGText.contains(SVGText.dataScheme, in: scheme) ? url[scheme.endIndex...] : nil
    }

    /// - Parameter url: The URL after `data:`.
    init(_ url: ArraySlice<UInt8>) {
        guard let comma = url.firstIndex(of: UInt8(ascii: ",")) else {
            self = .empty
            return
        }
        let header = String(decoding: url[..<comma], as: UTF8.self).lowercased()
        guard Self.isReadable(header) else {
            self = .unknown
            return
        }
        // A fragment is not part of the data.
        let data = Self.withoutPercents(url[(comma + 1)...].prefix { $0 != UInt8(ascii: "#") })
        self.init(contents: Self.isBase64(header) ? Self.base64(data) : data)
    }

    private static let subtypes: Set<Substring> = [
        "png", "x-png", "apng", "jpeg", "jpg", "pjpeg", "gif", "bmp", "x-bmp", "x-ms-bmp", "webp", "svg", "svg+xml",
    ]

    /// Returns whether a media type names a format whose size is read here, or names no image format. librsvg then
    /// detects the format itself. Other types are refused, because some of their formats have no signature.
    private static func isReadable(_ header: String) -> Bool {
        let type = header.prefix { $0 != ";" }.filter { $0 != " " }
        guard type.hasPrefix("image/") else { return true }
        return subtypes.contains(type.dropFirst("image/".count))
    }

    /// Returns whether the data is Base64, by the rules of the Fetch standard ("data: URL processor").
    private static func isBase64(_ header: String) -> Bool {
        let words = header.split(separator: ";", omittingEmptySubsequences: false)
        return words.count > 1 && SVGText.trimmed(Array((words.last ?? "").utf8)[...]).elementsEqual("base64".utf8)
    }

    private static func base64(_ text: [UInt8]) -> [UInt8]? {
        let digits = text.filter { $0 != UInt8(ascii: "=") && $0 > 0x20 }
        let padding = [UInt8](repeating: UInt8(ascii: "="), count: (4 - digits.count % 4) % 4)
        return Data(base64Encoded: Data(digits + padding), options: .ignoreUnknownCharacters).map { [UInt8]($0) }
    }

    private init(contents bytes: [UInt8]?) {
        guard let bytes else {
            self = .unknown
            return
        }
        if bytes.isEmpty {
            self = .empty
        } else if let size = RasterHeader.size(bytes) {
            self = .image(size)
        } else {
            let start = bytes.first { $0 > 0x20 && ![0xEF, 0xBB, 0xBF].contains($0) }
            self = start == UInt8(ascii: "<") ? .document(bytes) : .unknown
        }
    }

    private static func withoutPercents(_ text: ArraySlice<UInt8>) -> [UInt8] {
        guard text.contains(UInt8(ascii: "%")) else { return Array(text) }
        var (result, rest) = ([UInt8](), text)
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), digits.count == 2, let value = UInt8(digits, radix: 16) {
                result.append(value)
                rest = rest.dropFirst(2)
            } else {
                result.append(byte)
            }
        }
        return result
    }
}

/// The headers of the raster formats that SVGs embed, as far as the size goes.
enum RasterHeader {
    /// Returns the size of a PNG, GIF, BMP, WebP or JPEG in pixels; `nil` for anything else.
    static func size(_ bytes: [UInt8]) -> PixelSize? {
        png(bytes) ?? gif(bytes) ?? bmp(bytes) ?? webP(bytes) ?? jpeg(bytes)
    }

    private static func png(_ bytes: [UInt8]) -> PixelSize? {
        guard bytes.count >= 24, bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) else { return nil }
        return PixelSize(width: big(bytes[16..<20]), height: big(bytes[20..<24]))
    }

    private static func gif(_ bytes: [UInt8]) -> PixelSize? {
        guard bytes.count >= 10, bytes.starts(with: "GIF8".utf8) else { return nil }
        return PixelSize(width: little(bytes[6..<8]), height: little(bytes[8..<10]))
    }

    /// The height may be negative; the sizes of the oldest header have 16 bits.
    private static func bmp(_ bytes: [UInt8]) -> PixelSize? {
        guard bytes.count >= 26, bytes.starts(with: "BM".utf8) else { return nil }
        if little(bytes[14..<18]) == 12 {
            return PixelSize(width: little(bytes[18..<20]), height: little(bytes[20..<22]))
        }
        func side(_ range: Range<Int>) -> Int { abs(Int(Int32(truncatingIfNeeded: little(bytes[range])))) }
        return PixelSize(width: side(18..<22), height: side(22..<26))
    }

    private static func webP(_ bytes: [UInt8]) -> PixelSize? {
        guard bytes.count >= 30, bytes.starts(with: "RIFF".utf8), bytes[8..<12].elementsEqual("WEBP".utf8) else {
            return nil
        }
        switch bytes[15] {
        case UInt8(ascii: "X"):
            return PixelSize(width: little(bytes[24..<27]) + 1, height: little(bytes[27..<30]) + 1)
        case UInt8(ascii: "L"):
            let bits = little(bytes[21..<25])
            return PixelSize(width: bits & 0x3FFF + 1, height: bits >> 14 & 0x3FFF + 1)
        default: return PixelSize(width: little(bytes[26..<28]) & 0x3FFF, height: little(bytes[28..<30]) & 0x3FFF)
        }
    }

    /// Reads the segments up to the header of the frame (ISO/IEC 10918-1, B.2.2).
    private static func jpeg(_ bytes: [UInt8]) -> PixelSize? {
        guard bytes.starts(with: [0xFF, 0xD8, 0xFF]) else { return nil }
        var position = 2
        while position + 9 < bytes.count {
            guard bytes[position] == 0xFF else { return nil }
            let marker = bytes[position + 1]
            if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) {
                return PixelSize(
                    width: big(bytes[(position + 7)..<(position + 9)]),
                    height: big(bytes[(position + 5)..<(position + 7)]))
            }
            // Fill bytes, and markers without a length.
            let isAlone = marker == 0x01 || (0xD0...0xD8).contains(marker)
            position += marker == 0xFF ? 1 : isAlone ? 2 : 2 + big(bytes[(position + 2)..<(position + 4)])
        }
        return nil
    }

    private static func big(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    private static func little(_ bytes: ArraySlice<UInt8>) -> Int { big(ArraySlice(bytes.reversed())) }
}
