import Foundation
import TestSupport
import Testing

@testable import TintypeCore

@Suite struct FormatSnifferTests {
    private static func ftyp(_ brands: String...) -> [UInt8] {
        let body =
            Array("ftyp".utf8) + Array(brands[0].utf8) + [0, 0, 0, 0] + brands.dropFirst().flatMap { Array($0.utf8) }
        return [0, 0, 0, UInt8(body.count + 4)] + body
    }

    static let heads: [(ImageFormat?, [UInt8])] = [
        (.jpeg, [0xFF, 0xD8, 0xFF, 0xE0]),
        (.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
        (.gif, Array("GIF87a".utf8)),
        (.gif, Array("GIF89a".utf8)),
        (.webp, Array("RIFF\0\0\0\0WEBPVP8 ".utf8)),
        (nil, Array("RIFF\0\0\0\0WAVEfmt ".utf8)),
        (.tiff, [0x49, 0x49, 0x2A, 0x00]),
        (.tiff, [0x4D, 0x4D, 0x00, 0x2A]),
        (.jxl, [0xFF, 0x0A]),
        (.jxl, [0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A]),
        (.tiff, [0x49, 0x49, 0x2B, 0x00, 8, 0, 0, 0]),
        (.tiff, [0x4D, 0x4D, 0x00, 0x2B, 0, 8, 0, 0]),
        (.ico, [0, 0, 1, 0, 1, 0]),
        (.ico, [0, 0, 2, 0, 0, 1]),
        // A TGA.
        (nil, [0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64, 0, 64, 0, 24, 0]),
        (.bmp, Array("BM".utf8) + [1, 2, 3, 4, 0, 0, 0, 0]),
        (.bmp, Array("BM".utf8) + [1, 2, 3, 4, 7, 7, 7, 7, 54, 0, 0, 0, 40, 0, 0, 0]),
        (nil, Array("BM".utf8) + [1, 2, 3, 4, 7, 7, 7, 7, 54, 0, 0, 0, 41, 0, 0, 0]),
        (nil, Array("BMW is a car".utf8)),
        (.avif, ftyp("avif", "mif1", "miaf")),
        (.avif, ftyp("mif1", "avif")),
        (.avif, ftyp("avis")),
        (.heic, ftyp("heic")),
        (.heic, ftyp("mif1", "heic")),
        (.heic, ftyp("hevs", "iso8")),
        (.heic, ftyp("mif1")),
        (.heic, ftyp("msf1", "mif1", "iso8")),
        (.avif, ftyp("mif1", "miaf", "avif")),
        (nil, ftyp("isom", "mp42")),
        (.svg, Array("<svg xmlns=".utf8)),
        (.svg, Array("<?xml version=\"1.0\"?>\n<svg ".utf8)),
        (
            .svg,
            Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- Created with an editor of drawings -->\n<svg ".utf8)
        ), (.svg, Array("\u{FEFF}<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\">\n<svg>".utf8)),
        (nil, Array("<?xml version=\"1.0\"?><rss></rss>".utf8)),
        (nil, Array("<!DOCTYPE html><html>".utf8)),
        (nil, []),
        (nil, [0xFF]),
    ]

    @Test(arguments: heads) func theFormatIsRecognizedByTheFirstBytes(_ expected: ImageFormat?, _ head: [UInt8]) {
        #expect(FormatSniffer.format(of: Data(head)) == expected)
    }

    /// The frame header is SOF55 (ISO/IEC 14495-1, annex C), after application data or not. ffprobe agrees.
    @Test(arguments: [[], [0xFF, 0xE8, 0, 4, 1, 2], [0xFF, 0xFE, 0, 3, 65, 0xFF, 0xE0, 0, 2]] as [[UInt8]])
    func aJPEGLSIsAFormatWithoutACodec(_ before: [UInt8]) throws {
        let bytes = Data([0xFF, 0xD8] + before + [0xFF, 0xF7, 0, 11, 8, 0, 16, 0, 16, 1, 1, 0x11, 0])
        let format = try #require(FormatSniffer.format(of: bytes))
        #expect(format.rawValue == "jpeg-ls" && format.mediaType == "image/jls")
        let error = expectError(.noCoder) { try ImageCoderRegistry(decoders: []).decoder(for: bytes) }
        #expect(error?.message == "no decoder for jpeg-ls images is registered")
        // A JPEG with the same application data.
        let other = Data([0xFF, 0xD8] + before + [0xFF, 0xDB, 0, 67])
        #expect(FormatSniffer.format(of: other) == .jpeg)
    }

    @Test func bytesThatAreNoImageAreDescribed() {
        #expect(FormatSniffer.guess(Data("  <!DOCTYPE html>".utf8)) == "an HTML page")
        #expect(FormatSniffer.guess(Data("hello".utf8)) == "text")
        #expect(FormatSniffer.guess(Data([0, 1, 0xFE])) == "unknown bytes")
    }

    @Test func aPrefixHasTheSameFormatOrNone() {
        for (expected, head) in Self.heads {
            for count in 0...head.count {
                let format = FormatSniffer.format(of: Data(head.prefix(count)))
                #expect(format == nil || format == expected, "\(head.prefix(count))")
            }
        }
    }

    @Test func aSliceOfDataIsReadFromItsStart() {
        let data = Data([1, 2, 3] + [0xFF, 0xD8, 0xFF, 0xE0])
        #expect(FormatSniffer.format(of: data[3...]) == .jpeg)
    }
}
