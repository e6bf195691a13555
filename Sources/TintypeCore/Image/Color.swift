/// An 8-bit sRGB colour with straight channels, that is, channels that are not multiplied by alpha.
public struct Color: Hashable, Sendable {
    /// The red channel, 0 to 255.
    public var red: UInt8
    /// The green channel, 0 to 255.
    public var green: UInt8
    /// The blue channel, 0 to 255.
    public var blue: UInt8
    /// The opacity, from 0 for transparent to 255 for opaque.
    public var alpha: UInt8

    /// Creates a colour from straight 8-bit sRGB channels; opaque by default.
    public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// Transparent black.
    public static let clear = Color(red: 0, green: 0, blue: 0, alpha: 0)
    /// Opaque black.
    public static let black = Color(red: 0, green: 0, blue: 0)
    /// Opaque white.
    public static let white = Color(red: 255, green: 255, blue: 255)
}

// MARK: - Text

extension Color: CustomStringConvertible {
    /// Creates a colour from `#RRGGBB`, `#RRGGBBAA`, `#RGB` or `#RGBA` (CSS Color 4, 5.2).
    ///
    /// - Returns: `nil` for any other text.
    public init?(hex: String) {
        guard hex.first == "#" else { return nil }
        let digits = hex.dropFirst().compactMap { $0.isASCII ? $0.hexDigitValue : nil }
        guard digits.count == hex.count - 1 else { return nil }
        switch digits.count {
        case 3, 4: self.init(digits.map { $0 * 17 })
        case 6, 8: self.init(stride(from: 0, to: digits.count, by: 2).map { digits[$0] * 16 + digits[$0 + 1] })
        default: return nil
        }
    }

    private init(_ channels: [Int]) {
        let bytes = channels.map { UInt8(clamping: $0) }
        self.init(red: bytes[0], green: bytes[1], blue: bytes[2], alpha: bytes.count > 3 ? bytes[3] : 255)
    }

    /// `#rrggbbaa`, the form used in cache keys.
    public var description: String {
        "#" + [red, green, blue, alpha].map(Self.twoDigits).joined()
    }

    private static func twoDigits(_ value: UInt8) -> String {
        (value < 16 ? "0" : "") + String(value, radix: 16)
    }
}

// MARK: - Pixels

/// An 8-bit RGBA pixel, premultiplied by alpha if it comes from a ``PixelBuffer``.
public struct Pixel: Hashable, Sendable, BitwiseCopyable {
    /// The red channel, 0 to 255.
    public var red: UInt8
    /// The green channel, 0 to 255.
    public var green: UInt8
    /// The blue channel, 0 to 255.
    public var blue: UInt8
    /// The opacity, from 0 for transparent to 255 for opaque.
    public var alpha: UInt8

    /// Creates a pixel from its channels; opaque by default.
    public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }
}

extension Color {
    /// Creates a straight colour from a premultiplied pixel. A transparent pixel becomes ``clear``.
    package init(_ pixel: Pixel) {
        func straight(_ channel: UInt8) -> UInt8 {
            let (channel, alpha) = (Int(channel), Int(pixel.alpha))
            return alpha == 0 ? 0 : UInt8(clamping: (channel * 255 + alpha / 2) / alpha)
        }
        self.init(
            red: straight(pixel.red), green: straight(pixel.green), blue: straight(pixel.blue), alpha: pixel.alpha)
    }

    /// The colour multiplied by alpha, as stored in a ``PixelBuffer``.
    package var pixel: Pixel {
        func multiplied(_ channel: UInt8) -> UInt8 { UInt8((Int(channel) * Int(alpha) * 2 + 255) / 510) }
        return Pixel(red: multiplied(red), green: multiplied(green), blue: multiplied(blue), alpha: alpha)
    }
}
