import Testing
import TintypeTesting

@testable import TintypeCore

@Suite struct ColorTests {
    @Test(arguments: [
        ("#fff", Color.white), ("#000f", .black), ("#FF000080", Color(red: 255, green: 0, blue: 0, alpha: 128)),
        ("#010203", Color(red: 1, green: 2, blue: 3)),
    ]) func hexadecimalColoursAreParsed(_ text: String, _ color: Color) {
        #expect(Color(hex: text) == color)
        #expect(Color(hex: color.description) == color)
    }

    @Test(arguments: ["", "#", "fff", "#ff", "#fffff", "#ggg", "#1234567", "#+12+12", "#１２３"])
    func anInvalidColourIsNil(_ text: String) {
        #expect(Color(hex: text) == nil)
    }

    @Test func coloursOfARectangleAreClippedToTheImage() throws {
        let image = try PixelBuffer.drawn(PixelSize(width: 3, height: 2)) { x, y in
            Pixel(red: UInt8(x), green: UInt8(y), blue: 0)
        }
        let colors = image.colors(in: PixelRect(x: 1, y: -4, size: PixelSize(width: .max, height: 5)))
        #expect(colors == [Color(red: 1, green: 0, blue: 0), Color(red: 2, green: 0, blue: 0)])
        #expect(image.colors(in: PixelRect(x: 3, y: 0, size: PixelSize(width: 1, height: 1))).isEmpty)
        #expect(image.color(x: 2, y: 1) == Color(red: 2, green: 1, blue: 0))
        #expect(image.color(x: 3, y: 0) == nil && image.color(x: 0, y: -1) == nil)
    }

    @Test func aColourOfATransparentPixelIsStraight() throws {
        let image = try PixelBuffer.filled(Pixel(red: 100, green: 50, blue: 0, alpha: 100))
        #expect(image.color(x: 0, y: 0) == Color(red: 255, green: 128, blue: 0, alpha: 100))
    }

    @Test func aPaletteHasTheMostFrequentColourFirst() throws {
        let (red, green, blue) = (
            Pixel(red: 200, green: 0, blue: 0), Pixel(red: 0, green: 180, blue: 0), Pixel(red: 0, green: 0, blue: 90)
        )
        let image = try PixelBuffer.drawn(PixelSize(width: 100, height: 10)) { x, _ in
            x < 60 ? red : x < 90 ? green : blue
        }
        let palette = try image.palette(6)
        #expect(palette.map(\.color) == [Color(red), Color(green), Color(blue)])
        #expect(zip(palette, [0.6, 0.3, 0.1]).allSatisfy { abs($0.share - $1) < 1e-9 })
        #expect(try image.palette(8).first?.color == Color(red))
        #expect(try image.palette(2).count == 2)
        #expect(try image.palette(0).isEmpty && image.palette(-1).isEmpty)
    }

    @Test func aTransparentImageHasNoPalette() throws {
        let image = try PixelBuffer.filled(Pixel(red: 0, green: 0, blue: 0, alpha: 0))
        #expect(try image.palette().isEmpty)
        #expect(try image.palette(8).first?.color == nil)
    }
}
