import Foundation

/// A small copy of an image with straight channels from 0 to 1, row by row: the input of the placeholder hashes.
struct StraightPixels {
    let size: PixelSize
    /// Red, green, blue and alpha of each pixel.
    let channels: [SIMD4<Double>]

    /// Copies an image.
    ///
    /// - Parameter side: The maximum length of either side of the copy, in pixels.
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    init(_ pixels: PixelBuffer, atMost side: Int) throws(TintypeError) {
        let small = try pixels.resampled(
            to: pixels.size.fitted(into: PixelSize(width: side, height: side)), filter: .box)
        size = small.size
        channels = small.colors(in: PixelRect(x: 0, y: 0, size: small.size)).map {
            SIMD4(Double($0.red), Double($0.green), Double($0.blue), Double($0.alpha)) / 255
        }
    }
}

/// A table of cosines along one side of an image.
struct Cosines {
    private let table: [Double]
    private let length: Int

    /// Computes the table.
    ///
    /// - Parameters:
    ///   - count: The number of waves. The first is constant; each of the others has half a period more than the one
    ///     before.
    ///   - length: The number of pixels.
    ///   - offset: The position in a pixel at which its value is taken: 0 is its edge, as in BlurHash, 0.5 its centre.
    init(_ count: Int, length: Int, offset: Double) {
        self.length = length
        table = (0..<count).flatMap { wave in
            (0..<length).map { cos(.pi * Double(wave) * (Double($0) + offset) / Double(length)) }
        }
    }

    subscript(wave: Int, place: Int) -> Double { table[wave * length + place] }
}
