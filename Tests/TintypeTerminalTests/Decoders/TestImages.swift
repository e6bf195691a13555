import Foundation
import TintypeCore
import TintypeTesting

/// Images for the tests of encoders.
enum TestImages {
    /// Something like a photo: soft gradients, edges, and fine texture. Deterministic.
    static func photo(_ width: Int, _ height: Int, phase: Double = 0) throws -> PixelBuffer {
        try .drawn(PixelSize(width: width, height: height)) { x, y in
            let (u, v) = (Double(x) / Double(width), Double(y) / Double(height))
            let texture = 9 * sin(Double(x) * 1.9 + Double(y) * 0.7)
            let isSun = (u - 0.7 - phase) * (u - 0.7 - phase) + (v - 0.3) * (v - 0.3) < 0.02
            let isHill = v > 0.6 + 0.1 * sin(u * 9)
            let red = isSun ? 250 : isHill ? 60 + 80 * u : 90 + 100 * v
            let green = isSun ? 220 : isHill ? 120 - 50 * v : 140 + 60 * v
            let blue = isSun ? 120 : isHill ? 40 + 30 * u : 230 - 60 * v
            func channel(_ value: Double) -> UInt8 { UInt8(min(max(value + texture, 0), 255)) }
            return Pixel(red: channel(red), green: channel(green), blue: channel(blue))
        }
    }

    /// A disc that fades out towards its edge, over nothing.
    static func translucentDisc(_ side: Int) throws -> PixelBuffer {
        try .drawn(PixelSize(width: side, height: side)) { x, y in
            let (dx, dy) = (Double(x) + 0.5 - Double(side) / 2, Double(y) + 0.5 - Double(side) / 2)
            let alpha = UInt8(min(max(255 - (dx * dx + dy * dy).squareRoot() * 510 / Double(side), 0), 255))
            return Color(red: 250, green: 120, blue: 30, alpha: alpha).pixel
        }
    }
}

/// The peak signal-to-noise ratio in dB between an image and decoded pixels; pixels that are not there count as black.
func peakSignalToNoiseRatio(_ image: PixelBuffer, _ decoded: [Color?]) -> Double {
    var sum = 0.0
    for y in 0..<image.size.height {
        for x in 0..<image.size.width {
            let (first, second) = (image[x, y], decoded[y * image.size.width + x] ?? .black)
            for (a, b) in [(first.red, second.red), (first.green, second.green), (first.blue, second.blue)] {
                sum += (Double(a) - Double(b)) * (Double(a) - Double(b))
            }
        }
    }
    let mean = sum / Double(image.size.area * 3)
    return mean == 0 ? .infinity : 10 * log10(255 * 255 / mean)
}
