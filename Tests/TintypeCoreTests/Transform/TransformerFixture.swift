import TintypeCore
import TintypeTesting

extension PixelBuffer {
    /// Returns an image whose pixels encode their position: red is the column, green the row.
    static func numbered(_ width: Int, _ height: Int) throws -> PixelBuffer {
        try .drawn(PixelSize(width: width, height: height)) { x, y in
            Pixel(red: UInt8(truncatingIfNeeded: x), green: UInt8(truncatingIfNeeded: y), blue: 7)
        }
    }

    /// Returns random premultiplied pixels.
    static func noise(_ width: Int, _ height: Int, _ random: inout SeededRandom) throws -> PixelBuffer {
        var generator = random
        defer { random = generator }
        return try .drawn(PixelSize(width: width, height: height)) { _, _ in
            let alpha = UInt8.random(in: 0...255, using: &generator)
            func channel() -> UInt8 { UInt8.random(in: 0...alpha, using: &generator) }
            return Pixel(red: channel(), green: channel(), blue: channel(), alpha: alpha)
        }
    }

    /// Whether no colour channel exceeds its alpha.
    var isPremultiplied: Bool {
        colorsAndAlphas.allSatisfy { max($0.red, $0.green, $0.blue) <= $0.alpha }
    }

    /// All pixels, row by row.
    var colorsAndAlphas: [Pixel] {
        (0..<size.height).flatMap { y in (0..<size.width).map { self[$0, y] } }
    }
}
