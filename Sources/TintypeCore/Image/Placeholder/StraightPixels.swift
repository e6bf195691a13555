/// A small copy of a picture as straight channels from 0 to 1, row by row, for what is computed over whole pictures.
struct StraightPixels {
    let size: PixelSize
    /// Red, green, blue and alpha of each pixel.
    let channels: [SIMD4<Double>]

    /// - Parameter side: the longest that the copy has.
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
