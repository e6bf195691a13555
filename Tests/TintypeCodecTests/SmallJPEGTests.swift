import Testing
import TintypeCore
import TintypeJPEG
import TintypeTesting

/// JPEGs of few pixels, where a part of a pixel more or less is visible.
@Suite struct SmallJPEGTests {
    /// Grey, so that subsampled colours do not matter: columns on and off, rows a little brighter each.
    private static func drawn(_ width: Int, _ height: Int) throws -> PixelBuffer {
        try .drawn(PixelSize(width: width, height: height)) { x, y in
            let grey = UInt8((x % 2 == 0 ? 20 : 200) + min(y, 40))
            return Pixel(red: grey, green: grey, blue: grey)
        }
    }

    private static func decode(_ pixels: PixelBuffer, _ options: DecodeOptions = DecodeOptions()) throws -> PixelBuffer
    {
        let data = try JPEGEncoder().encode(pixels, as: .jpeg, options: EncodeOptions(quality: 1))
        return try JPEGDecoder().decode(data, context: DecodeContext(options: options)).pixels
    }

    /// libjpeg rounds sides up, so 7/8 of four pixels are four pixels, but not the same four.
    @Test(arguments: 1...9) func smallImagesAreDecodedAtFullSize(_ side: Int) throws {
        for height in 1...9 {
            let drawn = try Self.drawn(side, height)
            let difference = try #require(PixelDifference(between: Self.decode(drawn), and: drawn))
            #expect(difference.maximum <= 4, "\(side)x\(height): \(difference)")
        }
    }

    /// The scaled image of libjpeg reaches beyond the right and the lower edge; the result must not.
    @Test(arguments: [9, 17, 33, 65]) func smallThumbnailsShowTheWholeImage(_ side: Int) throws {
        let ramp = try PixelBuffer.drawn(PixelSize(width: side, height: side)) { x, y in
            let grey = UInt8(255 * (x + y) / (2 * side))
            return Pixel(red: grey, green: grey, blue: grey)
        }
        for target in 1...min(side, 16) {
            let size = PixelSize(width: target, height: target)
            let thumbnail = try Self.decode(ramp, DecodeOptions(size: .fit(size)))
            let expected = try ResizeTransformer(to: size, mode: .stretch).transform(ramp)
            let difference = try #require(PixelDifference(between: thumbnail, and: expected))
            #expect(difference.maximum <= 10, "\(side) to \(target): \(difference)")
        }
    }
}
