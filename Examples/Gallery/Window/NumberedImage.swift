#if GTK
import Foundation
import Tintype
import TintypeTesting

/// An image with a number in its pixels: a colour gradient, with the bits of the number as squares along the top.
package struct NumberedImage: Sendable {
    let number: Int

    /// The number of squares: more than enough for the numbers of a gallery.
    package static let bits = 16

    init(_ number: Int) {
        self.number = number
    }

    func png(side: Int) -> Data? {
        let pixels = try? PixelBuffer.drawn(PixelSize(width: side, height: side)) { x, y in
            let square = x * Self.bits / side
            guard y * Self.bits < side else { return color(Double(x) / Double(side), Double(y) / Double(side)) }
            let value: UInt8 = number >> square & 1 == 1 ? 255 : 0
            return Pixel(red: value, green: value, blue: value)
        }
        return try? pixels.map { try ImageCoderRegistry.png.encode($0, as: .png) }
    }

    private func color(_ x: Double, _ y: Double) -> Pixel {
        let hue = Double(number * 47 % 360) * .pi / 180
        func channel(_ phase: Double) -> UInt8 { UInt8(127 + 100 * sin(hue + phase + 2 * x + 1.5 * y * y)) }
        return Pixel(red: channel(0), green: channel(2.1), blue: channel(4.2))
    }
}
#endif
