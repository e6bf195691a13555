import CZlib
import Foundation
import TestSupport
import Testing
import TintypeCore

@testable import TintypeSVG

/// SVGs in other forms than plain UTF-8 without a prolog.
@Suite struct SVGSourceTests {
    private static let body =
        "<svg xmlns='http://www.w3.org/2000/svg' width='4' height='2'><rect width='4' height='2'/></svg>"
    private static let black = Pixel(red: 0, green: 0, blue: 0)

    static func utf16(_ text: String, bigEndian: Bool) -> Data {
        Data(text.utf16.flatMap { bigEndian ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0 & 255), UInt8($0 >> 8)] })
    }

    static func gzip(_ data: Data) -> Data {
        var stream = z_stream()
        deflateInit2_(
            &stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        defer { deflateEnd(&stream) }
        var (input, output) = (Array(data), [UInt8](repeating: 0, count: data.count + 100))
        let count = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                (stream.next_in, stream.avail_in) = (input.baseAddress, UInt32(input.count))
                (stream.next_out, stream.avail_out) = (output.baseAddress, UInt32(output.count))
                _ = deflate(&stream, Z_FINISH)
                return output.count - Int(stream.avail_out)
            }
        }
        return Data(output[..<count])
    }

    private static let license = "<!-- \(String(repeating: "A license. <svg> ", count: 3000)) -->"
    private static let types = "<!DOCTYPE svg PUBLIC '-//W3C' 'http://x' [<!ENTITY a '>'> <!-- ]> -->]>"

    static let documents: [(name: String, data: Data)] = [
        ("a long prolog", Data("<?xml version='1.0'?>\n\(license)\n\(types)\n\(body)".utf8)),
        (
            "a prefix",
            Data(
                body.replacing("<svg xmlns", with: "<s:svg xmlns:s").replacing("<rect", with: "<s:rect")
                    .replacing("</svg>", with: "</s:svg>").utf8)
        ),
        ("gzip", gzip(Data(body.utf8))),
        (
            "UTF-16, little-endian, with a mark",
            utf16("\u{FEFF}<?xml version='1.0' encoding='UTF-16'?>\(body)", bigEndian: false)
        ),
        ("UTF-16, big-endian, with a mark", utf16("\u{FEFF}\(body)", bigEndian: true)),
        ("UTF-16, little-endian", utf16("<?xml version='1.0' encoding='UTF-16'?>\(body)", bigEndian: false)),
        ("UTF-16, big-endian", utf16("<?xml version='1.0' encoding='UTF-16BE'?>\(body)", bigEndian: true)),
        ("UTF-16 in gzip", gzip(utf16("\u{FEFF}\(body)", bigEndian: true))),
        ("UTF-8 with a mark", Data([0xEF, 0xBB, 0xBF]) + Data(body.utf8)),
    ]

    @Test(arguments: documents.indices) func anSVGInAnotherFormIsDrawn(_ index: Int) throws {
        let (name, data) = Self.documents[index]
        let coders = ImageCoderRegistry(decoders: [SVGDecoder()])
        let image = try coders.decoder(for: data).decode(data, context: DecodeContext())
        #expect(image.size == PixelSize(width: 4, height: 2) && image.pixels[1, 1] == Self.black, "\(name)")
        #expect(try coders.info(of: data)?.size == image.size, "\(name)")
    }

    /// The limit would hold for the first decompression only.
    @Test func markupThatIsCompressedTwiceIsNoImage() {
        let data = Self.gzip(Self.gzip(Data(Self.body.utf8)))
        expectError(.notAnImage) { try SVGDecoder().decode(data, context: DecodeContext()) }
    }

    /// Bytes behind the compressed markup are not drawn, and not needed.
    @Test func onlyTheFirstMemberIsRead() throws {
        let plain = Self.gzip(Data(Self.body.utf8))
        let other = Self.body.replacing("<rect", with: "<rect fill='red'")
        for rest in [Self.gzip(Data(other.utf8)), Data("junk".utf8), Data(count: 40), Self.gzip(Data("<svg".utf8))] {
            #expect(try SVGSource.markup(plain + rest, limit: 1000) == Data(Self.body.utf8))
            let image = try SVGDecoder().decode(plain + rest, context: DecodeContext())
            #expect(image.pixels[1, 1] == Self.black)
        }
    }

    /// A compressed bomb is refused before it is in memory.
    @Test func markupExpandsToALimit() throws {
        let bomb = Self.gzip(Data("<svg>".utf8) + Data(repeating: 0x20, count: 65 << 20))
        #expect(bomb.count < 200_000)
        let error = expectError(.limitExceeded) { try SVGDecoder().decode(bomb, context: DecodeContext()) }
        #expect(error?.limit == .library)
        let exact = Self.gzip(Data(Self.body.utf8))
        expectError(.limitExceeded) { try SVGSource.markup(exact, limit: Self.body.utf8.count - 1) }
        #expect(try SVGSource.markup(exact, limit: Self.body.utf8.count) == Data(Self.body.utf8))
    }

    @Test func compressedBytesThatAreNoSVGAreNoImage() throws {
        for text in ["hello", "<html><svg/></html>"] {
            let data = Self.gzip(Data(text.utf8))
            expectError(.notAnImage) { try SVGDecoder().decode(data, context: DecodeContext()) }
        }
    }

    @Test func everyTruncationOfCompressedMarkupIsAnError() {
        let data = Self.gzip(Data(Self.body.utf8))
        for count in 2..<data.count - 8 {
            expectError(.undecodable) { try SVGSource.markup(data.prefix(count), limit: 1000) }
        }
    }

    /// A prefix of a file is not refused while its root element may follow.
    @Test func aPrefixOfALongPrologIsUndecided() throws {
        let data = Self.documents[0].data
        let coders = ImageCoderRegistry(decoders: [SVGDecoder()])
        for count in [0, 64, 1000, 40_000] {
            #expect(try coders.info(of: data.prefix(count), isComplete: false) == nil)
        }
        expectError(.notAnImage) { try coders.info(of: Data("<html>".utf8) + data, isComplete: false) }
    }
}
