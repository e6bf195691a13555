import TintypeCore
import TintypeTesting

extension PixelBuffer {
    /// Every pixel tells where it is: red counts columns, green rows.
    static func numbered(_ width: Int, _ height: Int) throws -> PixelBuffer {
        try .drawn(PixelSize(width: width, height: height)) { x, y in
            Pixel(red: UInt8(truncatingIfNeeded: x), green: UInt8(truncatingIfNeeded: y), blue: 7)
        }
    }

    /// Random premultiplied pixels.
    static func noise(_ width: Int, _ height: Int, _ random: inout SeededRandom) throws -> PixelBuffer {
        var generator = random
        defer { random = generator }
        return try .drawn(PixelSize(width: width, height: height)) { _, _ in
            let alpha = UInt8.random(in: 0...255, using: &generator)
            func channel() -> UInt8 { UInt8.random(in: 0...alpha, using: &generator) }
            return Pixel(red: channel(), green: channel(), blue: channel(), alpha: alpha)
        }
    }

    /// Whether no colour is above its alpha.
    var isPremultiplied: Bool {
        colorsAndAlphas.allSatisfy { max($0.red, $0.green, $0.blue) <= $0.alpha }
    }

    var colorsAndAlphas: [Pixel] {
        (0..<size.height).flatMap { y in (0..<size.width).map { self[$0, y] } }
    }
}
