import Foundation
import Testing
import TintypeColor
import TintypeTesting

@testable import TintypeCore

/// The light of images that are brightened by a gain map.
@Suite struct GainMapLightTests {
    private static let size = PixelSize(width: 2, height: 1)

    /// Offsets of 1/4 before and 1/8 after the gain, which is 2⁰ to 2².
    private func map() throws -> GainMap {
        let numbers: [UInt32] = [0, 1, 2, 1, 0, 1, 2, 1, 1, 1, 1, 4, 1, 8]
        let data = numbers.reduce(Data([0, 0, 0, 0, 0])) { $0 + PNGBuilder.bigEndian($1) }
        return GainMap(try #require(GainMapParameters(data)))
    }

    /// Returns the light of both pixels of an image. The gain is least for the first and greatest for the second.
    private func brightened(_ image: WideImage, _ map: GainMap) throws -> [SIMD4<Float>] {
        let gains = try PixelBuffer.drawn(Self.size) { x, _ in
            let code: UInt8 = x == 0 ? 0 : 255
            return Pixel(red: code, green: code, blue: code)
        }
        let bright = try GainMap.brightened(image, DecodeContext()) { () throws(TintypeError) in (gains, map) }
        return (0...1).compactMap { bright?[$0, 0] }
    }

    private func expect(_ light: [SIMD4<Float>], _ colors: [Float], alpha: Float) {
        for (pixel, color) in zip(light, colors) {
            #expect(abs(pixel.x - color) < 0.003 && pixel.x == pixel.y && pixel.x == pixel.z, "\(pixel)")
            #expect(abs(pixel.w - alpha) < 0.001)
        }
    }

    /// The straight code is 187, whose light is 0.4969: (0.4969 + 0.25) × 1 − 0.125, and × 4 − 0.125, both times 0.502.
    @Test func aTranslucentImageStaysPremultiplied() throws {
        let pixels = try PixelBuffer.filled(Pixel(red: 94, green: 94, blue: 94, alpha: 128), size: Self.size)
        let light = try brightened(WideImage(pixels: pixels, highRange: nil), map())
        try #require(light.count == 2)
        expect(light, [0.3122, 1.4370], alpha: 0.502)
        let nothing = try PixelBuffer.filled(Pixel(red: 0, green: 0, blue: 0, alpha: 0), size: Self.size)
        #expect(try brightened(WideImage(pixels: nothing, highRange: nil), map()) == [.zero, .zero])
    }

    /// (3 + 0.25) × 1 − 0.125, and × 4 − 0.125: light above white is not clipped before the gain.
    @Test func anImageOfMoreThan8BitsIsBrightenedInItsOwnLight() throws {
        var writer = try HighRangePixels.writer(Self.size)
        writer.withRows(from: 0) { row in
            for x in 0...1 {
                row.storeBytes(of: SIMD4<Float16>(3, 3, 3, 1), toByteOffset: 8 * x, as: SIMD4<Float16>.self)
            }
        }
        let pixels = try PixelBuffer.filled(Pixel(red: 9, green: 9, blue: 9), size: Self.size)
        let image = WideImage(pixels: pixels, highRange: HighRangePixels(rows: writer.finish()))
        let light = try brightened(image, map())
        try #require(light.count == 2)
        expect(light, [3.125, 12.875], alpha: 1)
    }

    /// Gains without light, and with more than any display has, are no gains.
    @Test func headroomsOutsideOfOneTo65536AreRefused() {
        for headroom in [-1, 0, 1, 65_537, .infinity, .nan] { #expect(GainMap(appleHeadroom: headroom) == nil) }
        for headroom in [1.001, 65_536] { #expect(GainMap(appleHeadroom: headroom) != nil) }
    }

    // MARK: Size

    /// Expects that the rows of a part of an image get their gains from the same part of its map.
    private func expectRows(_ part: PixelRect, of image: PixelSize, from map: PixelSize) throws {
        // The code of a row is its number.
        let pixels = try PixelBuffer.drawn(map) { _, y in Pixel(red: UInt8(y), green: UInt8(y), blue: UInt8(y)) }
        var options = DecodeOptions()
        options.crop = part
        let target = try DecodeTarget(ImageInfo(format: .jpeg, size: image), options: options)
        let scale = try #require(GainMap.scale(of: map, to: image))
        let gains = try GainMap.part(of: pixels, target, scale: scale)
        try #require(gains.size == part.size)
        for row in 0..<part.size.height {
            let middle = (Double(part.y + row) + 0.5) * Double(map.height) / Double(image.height)
            #expect(abs(Double(gains[9, row].red) - (middle - 0.5)) < 1.5, "\(row)")
        }
    }

    /// One side of the map may be up to 5 % longer than the other one says, because sides are rounded.
    @Test(arguments: [(244, 128), (256, 122), (256, 134), (128, 64), (122, 64), (128, 61)])
    func theSidesOfAMapHaveScalesOfTheirOwn(_ width: Int, _ height: Int) throws {
        let image = PixelSize(width: 256, height: 128)
        let map = PixelSize(width: width, height: height)
        try expectRows(PixelRect(x: 0, y: 0, size: image), of: image, from: map)
        try expectRows(PixelRect(x: 10, y: 100, size: PixelSize(width: 20, height: 28)), of: image, from: map)
    }

    /// It is not the whole map.
    @Test func aPartOfTheSizeOfTheMapIsAPart() throws {
        let (map, image) = (PixelSize(width: 256, height: 122), PixelSize(width: 256, height: 128))
        try expectRows(PixelRect(x: 0, y: 6, size: map), of: image, from: map)
    }
}
