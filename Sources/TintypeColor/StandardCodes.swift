import Foundation

/// 8-bit sRGB of linear light (IEC 61966-2-1).
enum StandardCodes {
    /// So fine that no two neighbours of the darkest codes fall into one.
    private static let steps: Float = 16384

    private static let table: [UInt8] = (0...Int(steps)).map { step in
        let light = Double(step) / Double(steps)
        let code = light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
        return UInt8((code * 255).rounded())
    }

    /// What is below 0 or no number becomes 0, what is above 1 becomes 255.
    static func code(_ light: Float) -> UInt8 {
        guard light > 0 else { return 0 }
        return table[Int(min(light, 1) * steps + 0.5)]
    }
}
