/// A colour that a caller names or asks for: 8-bit sRGB, straight, that is not multiplied by alpha.
public struct Color: Hashable, Sendable {
    public var red: UInt8
    public var green: UInt8
    public var blue: UInt8
    public var alpha: UInt8

    public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    public static let clear = Color(red: 0, green: 0, blue: 0, alpha: 0)
    public static let black = Color(red: 0, green: 0, blue: 0)
    public static let white = Color(red: 255, green: 255, blue: 255)
}

// MARK: - As text

extension Color: CustomStringConvertible {
    /// `#RRGGBB`, `#RRGGBBAA`, `#RGB` or `#RGBA`, as CSS Color 4, section 5.2 has it; `nil` for anything else.
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

    /// `#rrggbbaa`, the form that keys have.
    public var description: String {
        "#" + [red, green, blue, alpha].map(Self.twoDigits).joined()
    }

    private static func twoDigits(_ value: UInt8) -> String {
        (value < 16 ? "0" : "") + String(value, radix: 16)
    }
}

// MARK: - As a pixel

extension Color {
    /// Divides by alpha what a ``PixelBuffer`` has multiplied; what is transparent is ``clear``.
    public init(_ pixel: Pixel) {
        func straight(_ channel: UInt8) -> UInt8 {
            let (channel, alpha) = (Int(channel), Int(pixel.alpha))
            return alpha == 0 ? 0 : UInt8(clamping: (channel * 255 + alpha / 2) / alpha)
        }
        self.init(
            red: straight(pixel.red), green: straight(pixel.green), blue: straight(pixel.blue), alpha: pixel.alpha)
    }

    /// Multiplied by alpha, as a ``PixelBuffer`` has it.
    public var pixel: Pixel {
        func multiplied(_ channel: UInt8) -> UInt8 { UInt8((Int(channel) * Int(alpha) * 2 + 255) / 510) }
        return Pixel(red: multiplied(red), green: multiplied(green), blue: multiplied(blue), alpha: alpha)
    }
}
