import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// The expected hashes and pixels come from other implementations, in Python: blurhash 1.1.5 and thumbhash-python
/// 1.0.1.
@Suite struct PlaceholderTests {
    private func image(_ width: Int, _ height: Int, _ hasAlpha: Bool) throws -> PixelBuffer {
        try .drawn(PixelSize(width: width, height: height)) { x, y in
            hasAlpha && (x + y) % 3 == 0
                ? Pixel(red: 0, green: 0, blue: 0, alpha: 0)
                : Pixel(
                    red: UInt8((x * 7 + y * 3) % 256), green: UInt8((x * x + 2 * y) % 256), blue: UInt8(y * 9 % 256))
        }
    }

    @Test(arguments: [
        (40, 30, 4, 3, "LtG+8xIb5V#EnuJ8r[wdjdazsnR,"), (17, 5, 1, 1, "008P33"),
        (64, 64, 3, 5, "cSHn~ba6v+V;J8N0NWocJSbknjWWW4bFWW"),
    ]) func aBlurHashEqualsThatOfAnotherImplementation(
        _ width: Int, _ height: Int, _ across: Int, _ down: Int, _ text: String
    ) throws {
        let hash = try BlurHash(image(width, height, false), waves: PixelSize(width: across, height: down))
        #expect(hash.text == text)
        #expect(BlurHash(text: text) == hash)
    }

    @Test(arguments: [
        (
            "LtG+8xIb5V#EnuJ8r[wdjdazsnR,", [(55, 0, 44), (153, 153, 0), (19, 24, 211), (201, 164, 140)]
        ),
        ("008P33", [(72, 110, 21), (72, 110, 21), (72, 110, 21), (72, 110, 21)]),
        ("cSHn~ba6v+V;J8N0NWocJSbknjWWW4bFWW", [(109, 111, 0), (138, 139, 0), (171, 144, 170), (141, 155, 117)]),
    ]) func aBlurHashDecodesAsInAnotherImplementation(_ text: String, _ expected: [(Int, Int, Int)]) throws {
        let hash = try #require(BlurHash(text: text))
        let pixels = try hash.pixels(size: PixelSize(width: 8, height: 6))
        for ((x, y), color) in zip([(0, 0), (7, 0), (0, 5), (4, 3)], expected) {
            let pixel = pixels[x, y]
            let differences = [Int(pixel.red) - color.0, Int(pixel.green) - color.1, Int(pixel.blue) - color.2]
            #expect(differences.allSatisfy { abs($0) <= 1 }, "\(x), \(y): \(pixel)")
        }
    }

    @Test(arguments: ["", "0", "00000", "L", "LtG+8xIb5V#EnuJ8r[wdjdazsnR", "~00000", "008P3 ", "008P3é", "008P333"])
    func anInvalidBlurHashIsNil(_ text: String) {
        #expect(BlurHash(text: text) == nil)
    }

    @Test func everyBlurHashOfTheRightLengthDecodes() throws {
        // The first character determines the number of components, and so the length: 1×1, 1×2, 6×6 and 9×9.
        for (first, count) in [("0", 6), ("9", 8), ("o", 76), ("|", 166)] {
            for filling in ["0", "~", "c"] {
                let text = first + String(repeating: filling, count: count - 1)
                let hash = try #require(BlurHash(text: text), "\(text)")
                #expect(try hash.pixels(size: PixelSize(width: 3, height: 3), punch: 1e30).size.width == 3)
                #expect(BlurHash(text: text + filling) == nil)
            }
        }
        expectError(.transformFailed) { try BlurHash(text: "008P33")?.pixels(punch: .nan) }
        expectError(.transformFailed) {
            try BlurHash(text: "008P33")?.pixels(size: PixelSize(width: 0, height: 1))
        }
    }

    @Test(arguments: [
        (
            40, 30, false,
            [221, 23, 10, 93, 138, 21, 103, 135, 80, 135, 134, 118, 120, 136, 135, 118, 54, 111, 185, 144, 132]
        ),
        (30, 40, false, [157, 56, 10, 77, 6, 34, 103, 68, 121, 8, 120, 135, 120, 136, 88, 151, 68, 89, 79, 119, 48]),
        (
            50, 20, true,
            [217, 8, 134, 50, 134, 10, 6, 132, 97, 151, 119, 38, 127, 199, 112, 151, 225, 225, 81, 81, 15, 15, 245]
        ),
        (
            20, 50, true,
            [29, 56, 134, 26, 4, 10, 65, 96, 72, 56, 167, 48, 101, 94, 15, 88, 241, 240, 81, 80, 30, 31, 229]
        ),
    ]) func aThumbHashEqualsThatOfAnotherImplementation(_ width: Int, _ height: Int, _ hasAlpha: Bool, _ bytes: [UInt8])
        throws
    {
        let hash = try ThumbHash(image(width, height, hasAlpha))
        #expect(hash.bytes == bytes)
        #expect(ThumbHash(bytes: bytes) == hash)
        #expect(hash.hasAlpha == hasAlpha)
    }

    @Test(arguments: [
        (40, 30, false, 32, 23, [(0, 0, 2, 27, 0, 255), (31, 22, 27, 119, 232, 255)]),
        (30, 40, false, 23, 32, [(0, 0, 0, 28, 0, 255), (22, 31, 105, 111, 45, 255)]),
    ]) func aThumbHashIsDecodedLikeByOthers(
        _ width: Int, _ height: Int, _ hasAlpha: Bool, _ shownWidth: Int, _ shownHeight: Int,
        _ expected: [(Int, Int, Int, Int, Int, Int)]
    ) throws {
        let pixels = try ThumbHash(image(width, height, hasAlpha)).pixels()
        #expect(pixels.size == PixelSize(width: shownWidth, height: shownHeight))
        for (x, y, red, green, blue, alpha) in expected {
            let color = try #require(pixels.color(x: x, y: y))
            let differences = [
                Int(color.red) - red, Int(color.green) - green, Int(color.blue) - blue, Int(color.alpha) - alpha,
            ]
            #expect(differences.allSatisfy { abs($0) <= 1 }, "\(x), \(y): \(color)")
        }
    }

    @Test func aThumbHashPreservesAspectRatioAndTransparency() throws {
        let pixels = try ThumbHash(image(50, 20, true)).pixels()
        #expect(pixels.size == PixelSize(width: 32, height: 13))
        let mean = pixels.colorsAndAlphas.reduce(0) { $0 + Int($1.alpha) } / pixels.size.area
        #expect(abs(mean - 170) <= 2)
        #expect(pixels.isPremultiplied)
    }

    @Test func randomBytesAreAThumbHashOrNil() throws {
        var random = SeededRandom.printed("thumbhash")
        for count in 0...40 {
            for _ in 0..<20 {
                let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
                guard let hash = ThumbHash(bytes: bytes) else { continue }
                #expect(hash.aspectRatio > 0 && hash.aspectRatio.isFinite)
                #expect(try hash.pixels().size.isPositive)
            }
        }
        #expect(ThumbHash(bytes: []) == nil && ThumbHash(bytes: [1, 2, 3, 4]) == nil)
    }

    @Test func onePixelHasBothHashes() throws {
        let white = try PixelBuffer.filled(Pixel(red: 255, green: 255, blue: 255))
        #expect(try BlurHash(white).pixels(size: PixelSize(width: 1, height: 1))[0, 0].red == 255)
        #expect(try ThumbHash(white).pixels().size == PixelSize(width: 32, height: 32))
    }
}
