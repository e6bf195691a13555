import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypePDF

/// Draws pages of small documents. The tests that draw need poppler-glib, which a machine of CI must have.
@Suite struct PDFTests {
    static let isInstalled = (try? PDFLibrary.standard.get()) != nil
    static let isRequired = ProcessInfo.processInfo.environment["TINTYPE_CI"] != nil

    @Test(.enabled(if: isRequired)) func popplerIsInstalledForCI() throws {
        _ = try PDFLibrary.standard.get()
    }

    /// Returns a document whose pages have these contents and sizes in points.
    private static func document(_ pages: [(content: String, size: String)]) -> Data {
        var objects = ["<</Type/Catalog/Pages 2 0 R>>"]
        let kids = pages.indices.map { "\(3 + 2 * $0) 0 R" }.joined(separator: " ")
        objects.append("<</Type/Pages/Kids[\(kids)]/Count \(pages.count)>>")
        for (index, page) in pages.enumerated() {
            objects.append(
                "<</Type/Page/Parent 2 0 R/MediaBox[0 0 \(page.size)]/Contents \(4 + 2 * index) 0 R/Resources<<>>>>")
            objects.append("<</Length \(page.content.utf8.count)>>stream\n\(page.content)\nendstream")
        }
        var (text, offsets) = ("%PDF-1.4\n", [Int]())
        for (index, object) in objects.enumerated() {
            offsets.append(text.utf8.count)
            text += "\(index + 1) 0 obj\(object)endobj\n"
        }
        let start = text.utf8.count
        text += "xref\n0 \(objects.count + 1)\n0000000000 65535 f \n"
        for offset in offsets { text += "\(String(repeating: "0", count: 10 - "\(offset)".count))\(offset) 00000 n \n" }
        text += "trailer<</Size \(objects.count + 1)/Root 1 0 R>>\nstartxref\n\(start)\n%%EOF\n"
        return Data(text.utf8)
    }

    /// The left half of the first page is red; the second page is blue.
    private static let pages = document([
        ("1 0 0 rg 0 0 10 10 re f", "20 10"), ("0 0 1 rg 0 0 30 40 re f", "30 40"),
    ])

    private static let red = Pixel(red: 255, green: 0, blue: 0)
    private static let white = Pixel(red: 255, green: 255, blue: 255)
    private static let blue = Pixel(red: 0, green: 0, blue: 255)

    private func decode(_ data: Data = pages, _ change: (inout DecodeOptions) -> Void = { _ in }) throws -> Image {
        var options = DecodeOptions()
        change(&options)
        let coders = ImageCoderRegistry(decoders: [PDFDecoder()])
        return try coders.decoder(for: data).decode(data, context: DecodeContext(options: options))
    }

    @Test(.enabled(if: isInstalled)) func aPageIsAnImage() throws {
        let image = try decode()
        #expect(image.size == PixelSize(width: 20, height: 10) && image.info.format.isVector)
        #expect(image.pixels[4, 5] == Self.red && image.pixels[15, 5] == Self.white)
    }

    @Test(.enabled(if: isInstalled)) func aPageIsDrawnAtTheRequestedSize() throws {
        let image = try decode { $0.size = .fit(PixelSize(width: 200, height: 200)) }
        #expect(image.size == PixelSize(width: 200, height: 100) && image.info.size.width == 20)
        // Sharp: no pixel lies between two colours, as it would in an enlarged bitmap.
        #expect(image.pixels[99, 50] == Self.red && image.pixels[100, 50] == Self.white)
    }

    @Test(.enabled(if: isInstalled)) func aPartOfAPageIsDrawn() throws {
        let image = try decode {
            $0.crop = PixelRect(x: 8, y: 0, size: PixelSize(width: 4, height: 10))
            $0.size = .fit(PixelSize(width: 40, height: 100))
        }
        #expect(image.size == PixelSize(width: 40, height: 100))
        #expect(image.pixels[19, 5] == Self.red && image.pixels[20, 5] == Self.white)
    }

    @Test(.enabled(if: isInstalled)) func theOptionsNameThePage() throws {
        let image = try decode { $0.page = 1 }
        #expect(image.size == PixelSize(width: 30, height: 40) && image.pixels[3, 3] == Self.blue)
        #expect(try PDFDecoder.pageCount(of: Self.pages) == 2)
        for page in [2, -1, .max] {
            expectError(.noSuchFrame) { try decode { $0.page = page } }
        }
    }

    @Test(.enabled(if: isInstalled)) func theDrawnSizeIsWithinTheLimits() throws {
        let huge = Self.document([("", "200000 100000")])
        let error = expectError(.limitExceeded) { try decode(huge) }
        #expect(error?.limit == .side)
        #expect(try decode(huge) { $0.size = .fit(PixelSize(width: 20, height: 20)) }.size.width == 20)
    }

    /// A limit, and how it is set for a page of 20 × 10 pixels.
    static let limits: [(limit: DecodeLimit, change: @Sendable (inout DecodeLimits) -> Void)] = [
        (.pixels, { $0.pixels = 199 }), (.side, { $0.side = 19 }), (.memoryBytes, { $0.memoryBytes = 200 * 16 - 1 }),
    ]

    @Test(.enabled(if: isInstalled), arguments: limits.indices)
    func exceedingALimitIsReportedByItsName(_ index: Int) {
        let (limit, change) = Self.limits[index]
        for allowsPartial in [false, true] {
            var context = DecodeContext()
            context.options.allowsPartial = allowsPartial
            change(&context.limits)
            let error = expectError(.limitExceeded) { try PDFDecoder().decode(Self.pages, context: context) }
            #expect(error?.limit == limit)
        }
    }

    @Test(.enabled(if: isInstalled)) func aPageWithinTheLimitsIsDrawn() throws {
        var context = DecodeContext(limits: DecodeLimits(pixels: 200, side: 20))
        context.limits.memoryBytes = 200 * 16
        #expect(try PDFDecoder().decode(Self.pages, context: context).size.area == 200)
    }

    /// A page is drawn as a whole: the checks are before and after it.
    @Test(.enabled(if: isInstalled)) func aCancelledDrawingEnds() throws {
        let checks = try CancellationChecks.cancelAtEach(upTo: 9) { isCancelled throws(TintypeError) in
            _ = try PDFDecoder().decode(Self.pages, context: DecodeContext(isCancelled: isCancelled))
        }
        #expect(checks == 2)
    }

    /// Its error named a good document damaged.
    @Test(.enabled(if: isInstalled)) func aSideThatCairoCannotDrawExceedsALimit() throws {
        let line = Self.document([("", "400 1")])
        let error = expectError(.limitExceeded) {
            try decode(line) { $0.size = .fit(PixelSize(width: 40_000, height: 100)) }
        }
        #expect(error?.limit == .library && error?.message.contains("32767") == true)
    }

    @Test(.enabled(if: isInstalled)) func damagedDocumentsAreErrors() {
        for data in [Data("%PDF-1.4".utf8), Data("%PDF-1.4\ntrailer<</Root 9 0 R>>".utf8) + Data(count: 1000)] {
            expectError(.undecodable) { try decode(data) }
        }
    }

    @Test func aMissingLibraryIsNamed() {
        let error = expectError(.noCoder) { try PDFLibrary.load(["libpoppler-glib.so.0"]) }
        #expect(error?.message.contains("libpoppler-glib") == true)
    }

    /// An image whose comment names PDF stays with its own decoder.
    @Test(arguments: [
        Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), Data([0xFF, 0xD8, 0xFF, 0xFE, 0, 20]),
        Data("GIF89a".utf8),
        Data("II*\0\u{8}\0\0\0".utf8), Data("<svg><!--".utf8), Data("<?xml version='1.0'?><!-- converted from ".utf8),
        Data("\u{FEFF}<!DOCTYPE html><!--".utf8),
    ])
    func textInAnotherFormatIsNoPDF(_ start: Data) {
        #expect(!PDFDecoder().recognizes(start + Data("%PDF-1.4 -->".utf8)))
    }

    @Test func aPDFIsRecognizedByItsHeader() {
        let decoder = PDFDecoder()
        #expect(decoder.recognizes(Data("\n\n%PDF-1.7".utf8)))
        #expect(decoder.recognizes(Self.pages) && decoder.recognizes(Data("\n junk %PDF-1.7".utf8)))
        #expect(!decoder.recognizes(Data("%!PS-Adobe".utf8)) && !decoder.recognizes(Data()))
        #expect(ImageCoderRegistry(decoders: [decoder]).format(fileExtension: "pdf") == .pdf)
    }
}
