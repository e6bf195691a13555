import Foundation

/// Between sRGB and light (IEC 61966-2-1).
enum LinearLight {
    /// - Parameter value: an sRGB channel from 0 to 1.
    static func linear(_ value: Double) -> Double {
        value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    static func decode(_ value: Int) -> Double { linear(Double(value) / 255) }

    /// The 8-bit channel of light, brought to 0 to 1.
    static func encode(_ light: Double) -> UInt8 {
        let value = min(max(light, 0), 1)
        let encoded = value <= 0.0031308 ? value * 12.92 : 1.055 * pow(value, 1 / 2.4) - 0.055
        return UInt8(encoded * 255 + 0.5)
    }
}
