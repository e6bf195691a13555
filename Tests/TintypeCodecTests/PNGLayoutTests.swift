import Foundation
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypePNG

/// The channels in which PNGs are stored: read from their headers, and decoded to equal pixels.
@Suite struct PNGLayoutTests {
    private static let size = PixelSize(width: 40, height: 25)

    private func decode(_ data: Data) throws -> Image { try PNGDecoder().decode(data, context: DecodeContext()) }

    private func encode(_ pixels: PixelBuffer, _ mode: EncodeOptions.ColorMode = .automatic) throws -> Data {
        var options = EncodeOptions()
        options.colorMode = mode
        return try PNGEncoder().encode(pixels, as: .png, options: options)
    }

    private func expectExact(_ data: Data, _ pixels: PixelBuffer) throws {
        #expect(PixelDifference(between: try decode(data).pixels, and: pixels)?.maximum == 0)
    }

    private static func grey(_ level: @escaping (Int) -> Int, alpha: @escaping (Int) -> Int = { _ in 255 }) throws
        -> PixelBuffer
    {
        try .drawn(size) { x, y in
            let alpha = alpha(y * size.width + x)
            let value = UInt8((level(y * size.width + x) * alpha + 127) / 255)
            return Pixel(red: value, green: value, blue: value, alpha: UInt8(alpha))
        }
    }

    /// An opaque image of a number of colours.
    private static func colors(_ count: Int) throws -> PixelBuffer {
        try .drawn(size) { x, y in
            let index = (y * size.width + x) % count
            return Pixel(red: UInt8(index & 255), green: UInt8(index >> 8 * 40), blue: 3)
        }
    }

    @Test(arguments: [(1, 255), (2, 85), (4, 17), (8, 1)]) func greyIsStoredWithTheFewestBits(_ bits: Int, _ step: Int)
        throws
    {
        let pixels = try Self.grey { $0 % (255 / step + 1) * step }
        let data = try encode(pixels)
        let header = PNGHeaderFields(data)
        #expect(header.colorType == 0 && header.bitDepth == bits)
        try expectExact(data, pixels)
    }

    @Test(arguments: [(2, 1), (3, 2), (4, 2), (5, 4), (16, 4), (17, 8), (256, 8)])
    func atMost256ColorsAreAPalette(_ count: Int, _ bits: Int) throws {
        let pixels = try Self.colors(count)
        let data = try encode(pixels)
        let header = PNGHeaderFields(data)
        #expect(header.colorType == 3 && header.bitDepth == bits && header.paletteCount == count)
        #expect(header.lengths["tRNS"] == nil)
        try expectExact(data, pixels)
    }

    @Test func moreColorsAreRGB() throws {
        let pixels = try Self.colors(257)
        let data = try encode(pixels)
        #expect(PNGHeaderFields(data).colorType == 2)
        try expectExact(data, pixels)
    }

    @Test func aPaletteKeepsTheAlphaOfEachColor() throws {
        let pixels = try PixelBuffer.drawn(Self.size) { x, _ in
            let alpha = UInt8(x % 5 * 60)
            return Pixel(red: alpha / 2, green: 0, blue: alpha, alpha: x % 2 == 0 ? alpha : 255)
        }
        let data = try encode(pixels)
        let header = PNGHeaderFields(data)
        // Only the colours that are not opaque have an alpha.
        #expect(header.colorType == 3 && header.lengths["tRNS"] ?? 0 < header.paletteCount)
        #expect(header.lengths["tRNS"] != nil)
        try expectExact(data, pixels)
    }

    @Test func muchGreyWithAlphaHasTwoChannels() throws {
        let pixels = try Self.grey({ $0 % 200 }, alpha: { 55 + $0 % 199 })
        let data = try encode(pixels)
        #expect(PNGHeaderFields(data).colorType == 4 && PNGHeaderFields(data).bitDepth == 8)
        try expectExact(data, pixels)
    }

    @Test func trueColorIsRGBOrRGBA() throws {
        for (pixels, type) in [
            (try Self.grey { $0 % 2 * 255 }, 2), (try Self.colors(2), 2),
            (try Self.grey({ _ in 9 }, alpha: { $0 % 7 }), 6),
        ] {
            let data = try encode(pixels, .trueColor)
            #expect(PNGHeaderFields(data).colorType == type && PNGHeaderFields(data).bitDepth == 8)
            try expectExact(data, pixels)
        }
    }

    /// A profile for RGB does not fit a grey image (PNG third edition, 11.3.2.3).
    @Test func greyWithAProfileIsStoredInColors() throws {
        let pixels = try Self.grey { $0 % 256 }
        let coders = ImageCoderRegistry(decoders: [PNGDecoder()], encoders: [PNGEncoder()])
        var options = EncodeOptions()
        options.metadata = [.icc]
        let data = try coders.encode(pixels, as: .png, options: options)
        #expect(PNGHeaderFields(data).colorType == 3 && PNGHeaderFields(data).lengths["iCCP"] != nil)
        try expectExact(data, pixels)
    }

    // MARK: Fewer colours

    private static func photo(alpha: Bool) throws -> PixelBuffer {
        try .drawn(PixelSize(width: 64, height: 64)) { x, y in
            let opacity = alpha ? min(255, x * 8) : 255
            func channel(_ value: Int) -> UInt8 { UInt8((value & 255) * opacity / 255) }
            return Pixel(red: channel(x * 4), green: channel(y * 4), blue: channel(x + y), alpha: UInt8(opacity))
        }
    }

    @Test(arguments: [2, 5, 16, 64, 256], [false, true]) func aPaletteHasAtMostTheColorsAskedFor(
        _ limit: Int, _ hasAlpha: Bool
    ) throws {
        let pixels = try Self.photo(alpha: hasAlpha)
        let data = try encode(pixels, .palette(maxColors: limit))
        let header = PNGHeaderFields(data)
        #expect(header.colorType == 3 && header.paletteCount <= limit && (header.lengths["tRNS"] != nil) == hasAlpha)
        let difference = try #require(PixelDifference(between: try decode(data).pixels, and: pixels))
        // The mean of all channels; two colours cannot be close.
        #expect(difference.mean < [2: 60, 5: 45, 16: 20, 64: 12, 256: 8][limit] ?? 0, "\(difference)")
    }

    /// Nine levels alone would be up to 16 away from a gradient.
    @Test func aPaletteKeepsTheMeanAlphaOfAGradient() throws {
        let gradient = try PixelBuffer.drawn(PixelSize(width: 256, height: 64)) { x, y in
            let alpha = UInt8(x)
            return Pixel(red: alpha, green: UInt8(Int(alpha) * y / 64), blue: 0, alpha: alpha)
        }
        let written = try decode(try encode(gradient, .palette(maxColors: 256))).pixels
        for start in stride(from: 0, to: 256, by: 8) {
            var (sum, expected) = (0, 0)
            for x in start..<start + 8 {
                for y in 0..<64 {
                    sum += Int(written[x, y].alpha)
                    expected += Int(gradient[x, y].alpha)
                }
            }
            #expect(abs(sum - expected) < 5 * 8 * 64, "\(start): \(sum / 512) \(expected / 512)")
        }
    }

    @Test(arguments: [(-5, 2), (0, 2), (1, 2), (300, 256)]) func anyLimitOfColorsIsUsable(_ limit: Int, _ most: Int)
        throws
    {
        let data = try encode(Self.photo(alpha: true), .palette(maxColors: limit))
        #expect(PNGHeaderFields(data).paletteCount <= most)
    }

    @Test func aPaletteOfEnoughColorsIsExact() throws {
        let pixels = try Self.colors(30)
        let data = try encode(pixels, .palette(maxColors: 30))
        #expect(PNGHeaderFields(data).paletteCount == 30)
        try expectExact(data, pixels)
        #expect(PNGHeaderFields(try encode(pixels, .palette(maxColors: 29))).paletteCount <= 29)
    }

    @Test(
        arguments: [
            ([10], 8, [8]), ([0, 10], 8, [1, 7]), ([0, 50, 50], 7, [1, 3, 3]), ([1, 1, 998], 256, [1, 1, 254]),
            ([0], 2, [2]), ([5, 5], 2, [1, 1]),
        ] as [([Int], Int, [Int])]) func entriesAreSharedByPixels(_ counts: [Int], _ limit: Int, _ shares: [Int])
    {
        #expect(PNGQuantizer.shares(of: counts, limit: limit) == shares)
    }

    // MARK: Effort

    @Test(arguments: [(nil, 2), (0, 0), (0.3, 1), (1, 3), (7, 3), (.nan, 0)] as [(Double?, Int)])
    func theEffortIsTheLevelOfDeflate(_ effort: Double?, _ level: Int) throws {
        var options = EncodeOptions()
        options.effort = effort
        let data = try PNGEncoder().encode(Self.photo(alpha: false), as: .png, options: options)
        #expect(PNGHeaderFields(data).zlibLevel == level)
    }

    // MARK: Animations

    private func animation(_ data: Data) throws -> AnimatedImage { try #require(try decode(data).animation) }

    @Test func framesShareALayout() throws {
        let grey = try (0..<3).map { index in try Self.grey { ($0 * 3 + index) & 255 } }
        let clear = try (0..<3).map { index in
            try PixelBuffer.drawn(Self.size) { x, _ in
                x % 3 == index ? Pixel(red: 0, green: 0, blue: 0, alpha: 0) : Pixel(red: UInt8(x), green: 0, blue: 9)
            }
        }
        let many = try (0..<3).map { index in
            try PixelBuffer.drawn(Self.size) { x, y in Pixel(red: UInt8(x), green: UInt8(y), blue: UInt8(index)) }
        }
        for (frames, type, mode) in [
            (grey, 0, .automatic), (clear, 3, .automatic), (clear, 6, .trueColor), (many, 2, .automatic),
            (many, 2, .palette(maxColors: 16)), ([grey[0], many[0]], 2, .automatic),
        ] as [([PixelBuffer], Int, EncodeOptions.ColorMode)] {
            let original = try AnimatedImage(frames.map { TimedImage($0, duration: 0.1) })
            var options = EncodeOptions()
            options.colorMode = mode
            let data = try PNGEncoder().encode(original, as: .png, options: options)
            #expect(PNGHeaderFields(data).colorType == type)
            let written = try animation(data)
            #expect(written.frameCount == frames.count)
            for (index, frame) in frames.enumerated() {
                #expect(PixelDifference(between: try written.frame(at: index), and: frame)?.maximum == 0)
            }
        }
    }
}
