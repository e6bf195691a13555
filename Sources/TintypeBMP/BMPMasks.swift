import TintypeCore

/// Which bits of a pixel of 16 or 32 are which channel.
struct BMPMasks {
    /// One channel: its lowest bit, and its greatest value.
    struct Channel {
        let shift: UInt32
        let maximum: UInt32

        /// - Returns: `nil` for bits that are not next to each other.
        init?(_ mask: UInt32) {
            shift = mask == 0 ? 0 : UInt32(mask.trailingZeroBitCount)
            maximum = mask >> shift
            guard maximum & (maximum &+ 1) == 0 else { return nil }
        }

        /// The channel of a pixel, of 8 bits; 0 of a channel without bits.
        func value(of pixel: UInt32) -> UInt8 {
            guard maximum > 0 else { return 0 }
            let stored = UInt64(pixel >> shift & maximum)
            return UInt8((stored * 255 + UInt64(maximum) / 2) / UInt64(maximum))
        }
    }

    let red: Channel
    let green: Channel
    let blue: Channel
    let alpha: Channel

    /// - Returns: `nil` for masks that make no sense.
    init?(red: UInt32, green: UInt32, blue: UInt32, alpha: UInt32) {
        guard let red = Channel(red), let green = Channel(green), let blue = Channel(blue), let alpha = Channel(alpha)
        else { return nil }
        (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
    }

    var hasAlpha: Bool { alpha.maximum > 0 }

    /// Straight.
    func color(of pixel: UInt32) -> Pixel {
        Pixel(
            red: red.value(of: pixel), green: green.value(of: pixel), blue: blue.value(of: pixel),
            alpha: hasAlpha ? alpha.value(of: pixel) : 255)
    }
}
