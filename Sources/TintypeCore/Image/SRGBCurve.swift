import Foundation

/// The transfer function of sRGB (IEC 61966-2-1).
@usableFromInline
package enum SRGBCurve {
    /// Returns the linear light of a channel. Both are from 0 to 1.
    package static func light(of channel: Double) -> Double {
        channel <= 0.04045 ? channel / 12.92 : pow((channel + 0.055) / 1.055, 2.4)
    }

    /// Returns the channel of linear light. Both are from 0 to 1.
    static func channel(of light: Double) -> Double {
        light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
    }

    /// The light of each 8-bit code, from 0 to 1.
    package static let light: [Float] = (0...255).map { Float(light(of: Double($0) / 255)) }

    /// Fine enough that adjacent dark codes stay distinct.
    @usableFromInline static let steps: Float = 16384

    @usableFromInline static let codes: [UInt8] = (0...Int(steps)).map { step in
        UInt8((channel(of: Double(step) / Double(steps)) * 255).rounded())
    }

    /// Returns the code of linear light. Values below 0 and NaN become 0, values above 1 become 255.
    // Inlinable, because other modules call it for each channel of a pixel.
    @inlinable
    package static func code(_ light: Float) -> UInt8 {
        light > 0 ? codes[Int(min(light, 1) * steps + 0.5)] : 0
    }
}
