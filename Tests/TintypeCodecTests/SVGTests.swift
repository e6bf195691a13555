import Foundation
import Testing
import TintypeCore
import TintypeSVG

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
        #expect(throws: TintypeError.self) {
            try SVGDecoder().decode(Data(Self.halves.utf8), context: DecodeContext(options: outside))
        }
    }

    @Test(arguments: [
        ("viewBox='0 0 7 9'", 7, 9), ("", 300, 150), ("width='1in' height='12px'", 96, 12),
        ("width='2.5' height='2'", 3, 2),
    ])
    func theSizeComesFromTheDocument(_ attributes: String, _ width: Int, _ height: Int) throws {
        let info = try SVGDecoder().info(
            of: Data("<svg xmlns='http://www.w3.org/2000/svg' \(attributes)/>".utf8), isComplete: true)
        #expect(info?.size == PixelSize(width: width, height: height))
    }

    @Test func aHugeDocumentIsRefusedUnlessDrawnSmall() throws {
        let huge = Self.halves.replacing("\"20\"", with: "\"200000\"")
        let error = #expect(throws: TintypeError.self) { try decode(huge) }
        #expect(error?.code == .limitExceeded)
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

    @Test func aBillionLaughsAreAnError() {
        let entities = (1...9).map { level in
            "<!ENTITY l\(level) \"\(String(repeating: "&l\(level - 1);", count: 10))\">"
        }
        let text = """
            <svg xmlns="http://www.w3.org/2000/svg"><text>&l9;</text></svg>
            """
        let document = "<?xml version=\"1.0\"?><!DOCTYPE svg [<!ENTITY l0 \"lol\">\(entities.joined())]>\(text)"
        #expect(throws: TintypeError.self) { try SVGDecoder().decode(Data(document.utf8), context: DecodeContext()) }
    }

    /// Documents whose cost cannot be told from their markup.
    @Test(arguments: [
        "<style>#p{patternTransform:scale(2)} rect{fill:url(#p)}</style><pattern id='p' width='1' height='1'>"
            + "<path d='M0 0h4v4H0z'/></pattern><rect width='4' height='4'/>",
        "<g>" + String(repeating: "<g>", count: 300) + "<rect width='4' height='4'/>"
            + String(repeating: "</g>", count: 301),
        "<filter id='f'><feConvolveMatrix order='21'/></filter><rect width='4' height='4'/>",
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

    @Test func everyTruncationIsAnError() throws {
        let data = Data(Self.halves.utf8)
        for count in 0..<data.count {
            #expect(throws: TintypeError.self) { try SVGDecoder().decode(data.prefix(count), context: DecodeContext()) }
        }
    }
}
