import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeTerminal

/// Sixel graphics, read by a decoder of the tests.
@Suite struct SixelTests {
    private func decoded(_ image: PixelBuffer, _ encoder: SixelEncoder = SixelEncoder()) throws -> SixelDecoder {
        var encoder = encoder
        let indexed = try encoder.indexed(image)
        return try SixelDecoder(SixelWriter.graphic(indexed, in: PixelRect(x: 0, y: 0, size: image.size)))
    }

    /// Colours are written in percent, so a channel may be off by 1.
    @Test func anImageWithFewColorsIsExactUpToPercents() throws {
        let image = try PixelBuffer.drawn(PixelSize(width: 37, height: 20)) { x, y in
            Pixel(red: UInt8(x / 5 * 30), green: UInt8(y / 4 * 50), blue: 10)
        }
        let decoder = try decoded(image)
        #expect(decoder.size == image.size)
        for y in 0..<20 {
            for x in 0..<37 {
                let color = try #require(decoder.pixels[y * 37 + x])
                #expect(abs(Int(color.red) - Int(image[x, y].red)) <= 1)
                #expect(abs(Int(color.green) - Int(image[x, y].green)) <= 1)
            }
        }
    }

    @Test(arguments: [(256, 33.0), (64, 27.0), (16, 21.0)])
    func aPhotoIsAsGoodAsThePaletteAllows(_ registers: Int, _ mark: Double) throws {
        let image = try TestImages.photo(120, 90)
        let plain = try decoded(image, SixelEncoder(registers: registers, dithering: .none))
        #expect(peakSignalToNoiseRatio(image, plain.pixels) >= mark)
        // Dithering costs a little by this measure, and looks better.
        let dithered = try decoded(image, SixelEncoder(registers: registers))
        #expect(peakSignalToNoiseRatio(image, dithered.pixels) >= mark - 3)
    }

    @Test func transparentPixelsAreNotDrawn() throws {
        let image = try TestImages.translucentDisc(24)
        let decoder = try decoded(image)
        for y in 0..<24 {
            for x in 0..<24 { #expect((decoder.pixels[y * 24 + x] != nil) == (image[x, y].alpha >= 128), "\(x) \(y)") }
        }
    }

    @Test func anImageThatIsFullyTransparentHasNoColors() throws {
        let image = try PixelBuffer.filled(Color.clear.pixel, size: PixelSize(width: 9, height: 9))
        #expect(try decoded(image).pixels.allSatisfy { $0 == nil })
    }

    /// Widths and heights that no band or run divides.
    @Test(arguments: [1, 2, 5, 6, 7, 13])
    func everySizeIsDrawnCompletely(_ side: Int) throws {
        let image = try TestImages.photo(side, 14 - side)
        #expect(try decoded(image).pixels.allSatisfy { $0 != nil })
    }

    @Test func onlyTheChangedPartIsEncoded() throws {
        let image = try TestImages.photo(60, 40)
        var encoder = SixelEncoder()
        let first = try encoder.indexed(image)
        let changed = try PixelBuffer.drawn(image.size) { x, y in
            let isChanged = (10..<15).contains(x) && (20..<29).contains(y)
            // A colour of the sun, which the palette has.
            return isChanged ? image[43, 12] : image[x, y]
        }
        let second = try encoder.indexed(changed)
        #expect(second.colors == first.colors)
        let rect = try #require(second.changedRect(from: first))
        #expect(rect == PixelRect(x: 10, y: 20, size: PixelSize(width: 5, height: 9)))
        let part = try SixelDecoder(SixelWriter.graphic(second, in: rect))
        #expect(part.size == rect.size)
        #expect(part.pixels.allSatisfy { ($0?.red ?? 0) > 200 })
        #expect(second.changedRect(from: second) == nil)
    }

    @Test func aPaletteThatDoesNotFitIsReplaced() throws {
        var encoder = SixelEncoder()
        let size = PixelSize(width: 10, height: 10)
        let red = try encoder.indexed(try .filled(Pixel(red: 255, green: 0, blue: 0), size: size))
        let green = try encoder.indexed(try .filled(Pixel(red: 0, green: 255, blue: 0), size: size))
        #expect(red.colors == [0xFF00_00FF] && green.colors == [0xFF00_FF00])
        #expect(green.changedRect(from: red)?.size == size)
    }

    @Test func pixelsThatBecomeTransparentAreNoticed() throws {
        var encoder = SixelEncoder()
        let disc = try encoder.indexed(try TestImages.translucentDisc(20))
        let nothing = try encoder.indexed(try .filled(Color.clear.pixel, size: PixelSize(width: 20, height: 20)))
        #expect(nothing.erasesPixels(of: disc))
        #expect(!disc.erasesPixels(of: nothing))
    }
}
