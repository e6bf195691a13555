public import TintypeCore

extension PixelBuffer {
    /// Returns a buffer whose pixels a function computes from their position.
    ///
    /// - Parameters:
    ///   - size: The size, in pixels.
    ///   - pixel: Returns the premultiplied pixel at a column and a row, counted from the top left.
    /// - Throws: `TintypeError.Code.outOfMemory`, or `TintypeError.Code.limitExceeded` for an impossible size.
    public static func drawn(
        _ size: PixelSize, _ pixel: (_ x: Int, _ y: Int) -> Pixel
    ) throws(TintypeError) -> PixelBuffer {
        var writer = try PixelWriter(size: size)
        let stride = writer.bytesPerRow
        writer.withRows { rows in
            for y in 0..<size.height {
                for x in 0..<size.width {
                    rows.storeBytes(of: pixel(x, y), toByteOffset: y * stride + x * bytesPerPixel, as: Pixel.self)
                }
            }
        }
        return writer.finish()
    }

    /// Returns a buffer of one colour.
    ///
    /// - Parameters:
    ///   - pixel: The premultiplied pixel.
    ///   - size: The size, in pixels. One pixel by default.
    /// - Throws: `TintypeError.Code.outOfMemory`, or `TintypeError.Code.limitExceeded` for an impossible size.
    public static func filled(
        _ pixel: Pixel, size: PixelSize = PixelSize(width: 1, height: 1)
    ) throws(TintypeError) -> PixelBuffer {
        try drawn(size) { _, _ in pixel }
    }
}

/// The difference between two pixel buffers of equal size, over all channels.
public struct PixelDifference: Equatable, Sendable {
    /// The largest difference of one channel of one pixel, from 0 to 255.
    public var maximum: Int
    /// The mean difference over all channels, from 0 to 255.
    public var mean: Double

    /// Compares two buffers. `nil` if their sizes differ.
    public init?(between left: PixelBuffer, and right: PixelBuffer) {
        guard left.size == right.size else { return nil }
        var (maximum, sum) = (0, 0)
        for y in 0..<left.size.height {
            left.withUnsafeRow(y) { leftRow in
                right.withUnsafeRow(y) { rightRow in
                    for (first, second) in zip(leftRow, rightRow) {
                        let difference = abs(Int(first) - Int(second))
                        maximum = max(maximum, difference)
                        sum += difference
                    }
                }
            }
        }
        self.maximum = maximum
        mean = Double(sum) / Double(left.size.area * PixelBuffer.bytesPerPixel)
    }
}
