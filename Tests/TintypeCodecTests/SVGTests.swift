import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeJPEG
import TintypeSVG
import TintypeTesting

@Suite struct SVGTests {
    private static let halves = """
        <svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><rect width="10" height="10" fill="#f80"/>\
        <rect x="10" width="10" height="5" fill="#08f" fill-opacity="0.5"/></svg>
        """

    private func decode(_ text: String, _ size: DecodeOptions.Size = .full) throws(TintypeError) -> Image {
        let data = Data(text.utf8)
        let coders = ImageCoderRegistry(decoders: [SVGDecoder()])
        return try coders.decoder(for: data).decode(data, context: DecodeContext(options: DecodeOptions(size: size)))
    }

    @Test func shapesAreDrawnPremultiplied() throws {
        let image = try decode(Self.halves)
        #expect(image.size == PixelSize(width: 20, height: 10) && image.info.format == .svg && image.info.hasAlpha)
        #expect(image.pixels[3, 3] == Pixel(red: 255, green: 136, blue: 0))
        #expect(image.pixels[15, 7] == Pixel(red: 0, green: 0, blue: 0, alpha: 0))
        let half = image.pixels[15, 2]
        #expect(half.alpha == 128 && half.red == 0 && half.blue == 128)
    }

    @Test(arguments: [
        (DecodeOptions.Size.full, 20, 10), (.fit(PixelSize(width: 10, height: 10)), 10, 5),
        (.fit(PixelSize(width: 200, height: 200)), 200, 100), (.fit(PixelSize(width: 0, height: 50)), 100, 50),
        (.shrink(PixelSize(width: 5, height: 5)), 5, 5), (.atMost(bytes: 200), 10, 5),
    ])
    func anSVGIsDrawnAtTheRequestedSize(_ size: DecodeOptions.Size, _ width: Int, _ height: Int) throws {
        let image = try decode(Self.halves, size)
        #expect(image.size == PixelSize(width: width, height: height))
        #expect(image.pixels[0, 0] == Pixel(red: 255, green: 136, blue: 0))
        #expect(image.info.size == PixelSize(width: 20, height: 10))
    }

    @Test(arguments: [
        (DecodeOptions.Size.cover(PixelSize(width: 100, height: 100)), 200, 100),
        (.shrink(PixelSize(width: 90, height: 30)), 90, 30),
    ])
    func anSVGIsEnlargedInEveryMode(_ size: DecodeOptions.Size, _ width: Int, _ height: Int) throws {
        let image = try decode(Self.halves, size)
        #expect(image.size == PixelSize(width: width, height: height))
        // Sharp: no pixel lies between two colours, as it would in an enlarged bitmap.
        #expect(image.pixels[width / 2 - 1, 1] == Pixel(red: 255, green: 136, blue: 0))
        #expect(image.pixels[width / 2, 1].blue == 128)
    }

    @Test func aPartIsDrawnAtItsSize() throws {
        let part = PixelRect(x: 8, y: 0, size: PixelSize(width: 4, height: 10))
        let options = DecodeOptions(crop: part, size: .fit(PixelSize(width: 40, height: 100)))
        let image = try SVGDecoder().decode(Data(Self.halves.utf8), context: DecodeContext(options: options))
        #expect(image.size == PixelSize(width: 40, height: 100))
        #expect(image.pixels[19, 5] == Pixel(red: 255, green: 136, blue: 0) && image.pixels[20, 5].alpha == 128)
        let outside = DecodeOptions(crop: PixelRect(x: 50, y: 0, size: part.size))
        expectError(.transformFailed) {
            try SVGDecoder().decode(Data(Self.halves.utf8), context: DecodeContext(options: outside))
        }
    }

    @Test(arguments: [
        ("viewBox='0 0 7 9'", 7, 9), ("", 300, 150), ("width='1in' height='12px'", 96, 12),
        ("width='2.5' height='2'", 3, 2),
        // One side, and the ratio of the view box (CSS 2.1, 10.3.2; rsvg-convert, libvips).
        ("height='80' viewBox='0 0 60 40'", 120, 80), ("width='80mm' viewBox='0 0 60 40'", 303, 202),
        ("width='100%' height='20' viewBox='0 0 60 40'", 30, 20),
        ("width='auto' height='2em' viewBox='0 0 60 40'", 36, 24),
        ("style='width:30px' viewBox='0 0 60 40'", 30, 20),
        // One side alone.
        ("width='10'", 10, 150), ("height='10'", 300, 10),
    ])
    func theSizeComesFromTheDocument(_ attributes: String, _ width: Int, _ height: Int) throws {
        let info = try SVGDecoder().info(
            of: Data("<svg xmlns='http://www.w3.org/2000/svg' \(attributes)/>".utf8), isComplete: true)
        #expect(info?.size == PixelSize(width: width, height: height))
    }

    /// The sides are rounded once (rsvg-convert, libvips).
    @Test(arguments: [
        ("1.5", "1", DecodeOptions.Size.fit(PixelSize(width: 600, height: 0)), 600, 400),
        ("24.5", "24.1", .fit(PixelSize(width: 600, height: 600)), 600, 590),
        ("1.5", "1", .cover(PixelSize(width: 300, height: 300)), 450, 300),
    ])
    func aDrawingIsScaledByItsExactSides(
        _ across: String, _ down: String, _ size: DecodeOptions.Size, _ width: Int, _ height: Int
    ) throws {
        let text = """
            <svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 \(across) \(down)'>\
            <rect width='50%' height='100%' fill='#f00'/></svg>
            """
        let image = try decode(text, size)
        #expect(image.size == PixelSize(width: width, height: height))
        #expect(image.pixels[width / 2 - 1, height - 1] == Pixel(red: 255, green: 0, blue: 0))
        #expect(image.pixels[width / 2, 0].alpha == 0)
    }

    @Test func aHugeDocumentIsRefusedUnlessDrawnSmall() throws {
        let huge = Self.halves.replacing("\"20\"", with: "\"200000\"")
        expectError(.limitExceeded) { try decode(huge) }
        #expect(try decode(huge, .fit(PixelSize(width: 40, height: 40))).size.width == 40)
    }

    @Test func externalResourcesAreNotLoaded() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let secret = folder.appending(path: "secret.svg")
        try Data(Self.halves.utf8).write(to: secret)
        let image = try decode(
            """
            <svg xmlns="http://www.w3.org/2000/svg" width="20" height="10">
            <image href="\(secret.absoluteString)" width="20" height="10"/></svg>
            """)
        #expect(image.pixels[3, 3].alpha == 0)
    }

    /// Browsers look at the bytes, not at the label.
    @Test(arguments: [
        ("baseline-444.jpg", "image/jpg", true), ("baseline-444.jpg", "image/png", true),
        ("rgba-8.png", "image/jpeg", true),
        ("rgba-8.png", "IMAGE/PNG", true), ("lossless.webp", "image/webp", true), ("lossless.webp", "image/png", true),
        ("lossy.heic", "image/heic", false),
    ])
    func anEmbeddedImageIsDrawnWhateverItsLabel(_ name: String, _ label: String, _ isDrawn: Bool) throws {
        let image = try FixtureManifest.named(name).data.base64EncodedString(options: .lineLength76Characters)
        let text = """
            <svg xmlns="http://www.w3.org/2000/svg" width="8" height="8">
            <image width="8" height="8" preserveAspectRatio="none" href="data:\(label);base64,\(image)"/></svg>
            """
        let drawn = try decode(text)
        #expect((drawn.pixels[4, 4].alpha > 0) == isDrawn && drawn.info.warnings == (isDrawn ? [] : [.embeddedImage]))
        var strict = DecodeContext()
        strict.options.damageTolerance = .none
        let strictly = try? SVGDecoder().decode(Data(text.utf8), context: strict)
        #expect((strictly != nil) == isDrawn)
    }

    /// Browsers turn embedded JPEGs upright (CSS Images 3, 5.4; Chromium 156 draws a JPEG of 32 × 48 pixels with
    /// orientation 6 as 48 × 32). librsvg 2.54 does not.
    @Test(arguments: 1...8) func anEmbeddedJPEGIsUpright(_ orientation: Int) throws {
        let jpeg = try FixtureManifest.named("orientation-\(orientation).jpg").data
        let upright = try JPEGDecoder().decode(jpeg, context: DecodeContext()).pixels
        let drawn = try decode(
            """
            <svg xmlns="http://www.w3.org/2000/svg" width="48" height="32">
            <image href="data:image/jpeg;base64,\(jpeg.base64EncodedString())"/></svg>
            """)
        try #require(drawn.pixels.size == upright.size && drawn.info.warnings.isEmpty)
        #expect(PixelDifference(between: drawn.pixels, and: upright).map { $0.maximum <= 3 } == true)
    }

    /// The prolog of a document may be longer than the bytes that tell other formats.
    @Test func anEmbeddedDocumentMayHaveALongProlog() throws {
        let inner = Data("<!--\(String(repeating: "x", count: 2000))-->\(Self.halves)".utf8).base64EncodedString()
        let drawn = try decode(
            """
            <svg xmlns="http://www.w3.org/2000/svg" width="20" height="10">
            <image width="20" height="10" href="data:image/svg+xml;base64,\(inner)"/></svg>
            """)
        #expect(drawn.pixels[3, 3].alpha == 255 && drawn.info.warnings.isEmpty)
    }

    @Test func aBillionLaughsAreAnError() {
        expectError(.undecodable) { try SVGDecoder().decode(Bomb.laughs(), context: DecodeContext()) }
    }

    /// Documents whose cost cannot be told from their markup.
    @Test(arguments: [
        "<style>#p{patternTransform:scale(2)} rect{fill:url(#p)}</style><pattern id='p' width='1' height='1'>"
            + "<path d='M0 0h4v4H0z'/></pattern><rect width='4' height='4'/>",
        "<g>" + String(repeating: "<g>", count: 200) + "<rect width='4' height='4'/>"
            + String(repeating: "</g>", count: 201),
        "<mask id='m' maskContentUnits='objectBoundingBox'><rect width='1' height='1' fill='url(#p)'/></mask>"
            + "<pattern id='p' width='1' height='1'><path d='M0 0h4v4H0z' fill='#fff'/></pattern>"
            + "<rect width='4' height='4' mask='url(#m)'/>",
    ])
    func aValidDocumentIsDrawnWhateverItCosts(_ contents: String) throws {
        let image = try decode("<svg xmlns='http://www.w3.org/2000/svg' width='4' height='4'>\(contents)</svg>")
        #expect(image.pixels[2, 2] == Pixel(red: 0, green: 0, blue: 0))
    }

    @Test func entitiesInTextAreExpanded() throws {
        let text = """
            <!DOCTYPE svg [<!ENTITY black "#000"><!ENTITY shape "<rect width='4' height='4' fill='#000'/>">]>
            <svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"><style>rect{fill:&black;}</style>&shape;</svg>
            """
        #expect(try decode(text).pixels[2, 2] == Pixel(red: 0, green: 0, blue: 0))
    }

    private static func document(_ body: String) -> String {
        let spaces = "xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink'"
        return "<svg \(spaces) width='9' height='9'>\(body)</svg>"
    }

    private static let square = Data(document("<rect width='9' height='9'/>").utf8).base64EncodedString()

    /// References, embedded documents, and what drawing programs write.
    @Test(arguments: [
        document("<image width='9' height='9' href='data:image/svg+xml;base64,\(square)'/>"),
        document(
            "<image width='9' height='9' xlink:href='data:;base64,\(square.prefix(9))&#10;\(square.dropFirst(9))'/>"),
        document(
            "<style>@import url('https://fonts.example/css?a=b&amp;c');@font-face{src:url(data:font/woff2,AA)} "
                + "a{fill:url(#a)}</style><rect width='9' height='9'/>"),
        "<!DOCTYPE svg [<!ENTITY style 'fill:#000;'><!ENTITY svg 'http://www.w3.org/2000/svg'>]>"
            + "<svg xmlns='&svg;' width='9' height='9'><rect width='9' height='9' style='&style;'/></svg>",
        "<?xml version='1.0' encoding='ISO-8859-1'?>\(document("<a href='#d'><rect width='9' height='9'/></a>"))",
        document("<text y='500' font-size='800' font-family='&quot;A:B&quot;'>x</text><rect width='9' height='9'/>"),
        document("<g id='top'><a xlink:href='#top'><rect width='9' height='9'/></a></g>"),
        document(
            "<defs><rect id='a' width='9' height='9'/></defs>" + String(repeating: "<use href='#a'/>", count: 3000)),
        document("<style>\(String(repeating: "b,i:hover{fill:red} ", count: 300))</style><rect width='9' height='9'/>"),
    ])
    func aNormalDocumentIsDrawn(_ text: String) throws {
        #expect(try decode(text).pixels[4, 4] == Pixel(red: 0, green: 0, blue: 0))
    }

    // MARK: Limits

    private func limit(
        _ data: Data, size: DecodeOptions.Size = .full, _ change: (inout DecodeLimits) -> Void = { _ in }
    ) -> DecodeLimit? {
        var context = DecodeContext(options: DecodeOptions(size: size))
        change(&context.limits)
        return #expect(throws: TintypeError.self) { try SVGDecoder().decode(data, context: context) }?.limit
    }

    @Test func theBytesAndPixelsAreLimited() throws {
        let data = Data(Self.halves.utf8)
        #expect(limit(data) { $0.memoryBytes = data.count - 1 } == .library)
        #expect(limit(data) { $0.pixels = 199 } == .pixels)
        #expect(limit(data, size: .fit(PixelSize(width: 80, height: 80))) { $0.side = 79 } == .side)
        // More bytes than libxml2 reads at once.
        let comments = String(repeating: "<!-- \(String(repeating: "x", count: 1000)) -->", count: 10_000)
        #expect(try decode(Self.halves.replacing("<rect", with: "\(comments)<rect")).pixels[3, 3].red == 255)
    }

    @Test func aSideThatCairoCannotDrawExceedsALimit() {
        let line = Data(Self.halves.replacing("\"10\">", with: "\"1\">").utf8)
        #expect(limit(line, size: .fit(PixelSize(width: 40_000, height: 2000))) == .library)
    }

    @Test func aCancelledDocumentIsNotDrawn() {
        for passing in 0...1 {
            let context = DecodeContext(isCancelled: CancellationChecks(passing: passing).isCancelled)
            expectError(.cancelled) {
                try SVGDecoder().decode(Data(Self.halves.utf8), context: context)
            }
        }
    }

    @Test func everyTruncationIsAnError() throws {
        let data = Data(Self.halves.utf8)
        for count in 0..<data.count {
            expectError(.undecodable) { try SVGDecoder().decode(data.prefix(count), context: DecodeContext()) }
        }
    }
}
