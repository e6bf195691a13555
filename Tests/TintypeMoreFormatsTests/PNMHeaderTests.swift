import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

@testable import TintypePNM

@Suite struct PNMHeaderTests {
    private func header(_ text: String) -> Result<PNMHeader, PNMHeaderReader.Failure> {
        Data(text.utf8).withUnsafeBytes { bytes in
            var reader = PNMHeaderReader(bytes)
            return Result { () throws(PNMHeaderReader.Failure) in try reader.read() }
        }
    }

    @Test func headersAreRead() throws {
        let grey = try header("P5 3 2 255\n").get()
        #expect(grey.size == PixelSize(width: 3, height: 2) && grey.channels == .grey && grey.offset == 11)
        let comment = try header("P3#a\n# b 7\n 3#c\n\t2 #d\n 1000 ").get()
        #expect(comment.maximum == 1000 && comment.encoding == .text && comment.isWide && comment.info.bitDepth == 10)
        let bits = try header("P4\n9 1\n").get()
        #expect(bits.isBitmap && bits.bytesPerRow == 2)
        let lines = "P7\n# c\nWIDTH 2\nHEIGHT 1\r\nDEPTH 4\nMAXVAL 300\nTUPLTYPE RGB\nTUPLTYPE _ALPHA\nENDHDR\n"
        let pam = try header(lines).get()
        // The types of two lines are joined by a space (pam(5)), which makes an unknown type.
        #expect(pam.channels == .rgbAlpha && pam.bytesPerRow == 16)
    }

    @Test(arguments: [
        "P5 3 2 0 ", "P5 3 2 65536 ", "P5 3 2 255X", "P6 x", "P5 99999999999 1 255 ",
        "P7\nWIDTH 2\nHEIGHT 1\nDEPTH 5\nMAXVAL 255\nENDHDR\n", "P7\nWIDTH 2\nDEPTH 1\nMAXVAL 1\nENDHDR\n",
        "P7\nWIDTH 2\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\nTUPLTYPE RGB\nENDHDR\n", "P7\nWIDTH -2\n",
    ])
    func invalidHeadersAreDamage(_ text: String) {
        guard case .failure(.damaged) = header(text) else {
            Issue.record("\(text)")
            return
        }
    }

    @Test(arguments: ["P", "P5", "P5 3", "P5 3 2", "P5 3 2 255", "P5 # no end", "P7\nWIDTH 2\n", "P7\nENDHD"])
    func aPrefixIsIncomplete(_ text: String) throws {
        guard case .failure(.incomplete) = header(text) else {
            Issue.record("\(text)")
            return
        }
        #expect(try PNMDecoder().info(of: Data(text.utf8), isComplete: false) == nil)
    }

    @Test(arguments: [
        ("P6\n1 1\n255\n", true), ("P1 1", true), ("P3#c\n", true), ("P5 # c", true), ("P7\nWIDTH", true),
        ("P7 332\n", false), ("P8 1 1", false), ("P1 is a word", false), ("PNG", false), ("P6", false), ("", false),
    ])
    func theFirstBytesTell(_ text: String, _ isPNM: Bool) {
        #expect(PNMDecoder().recognizes(Data(text.utf8)) == isPNM)
    }

    private func pixels(_ data: Data) throws -> [UInt8] {
        let image = try PNMDecoder().decode(data, context: DecodeContext())
        return (0..<image.size.width).map { image.pixels[$0, 0].red }
    }

    @Test func samplesAboveTheMaximumAreWhite() throws {
        #expect(try pixels(Data("P5 3 1 100\n".utf8) + Data([50, 100, 200])) == [128, 255, 255])
        #expect(try pixels(Data("P2 3 1 100\n50 100 99999999999999999999".utf8)) == [128, 255, 255])
    }

    @Test func bitsNeedNoSpace() throws {
        #expect(try pixels(Data("P1 5 1\n10#c\n01 1".utf8)) == [0, 255, 255, 0, 0])
        for text in ["P1 2 1\n12", "P2 2 1 9\n1 x", "P2 2 1 9\n1 -1"] {
            expectError(.undecodable) { try pixels(Data(text.utf8)) }
        }
    }

    @Test func theFirstOfSeveralImagesIsDecoded() throws {
        let one = Data("P5 2 1 255\n".utf8) + Data([7, 9])
        #expect(try pixels(one + one) == [7, 9])
    }

    @Test func theRowsOfATruncatedImageAreSalvaged() throws {
        var options = DecodeOptions()
        options.allowsPartial = true
        let data = Data("P5 2 3 255\n".utf8) + Data([7, 9, 11])
        let image = try PNMDecoder().decodeChecked(data, context: DecodeContext(options: options))
        #expect(image.isPartial && image.pixels[1, 0].red == 9 && image.pixels[0, 1].alpha == 0)
    }
}
