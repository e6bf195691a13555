public import TintypeCore

extension PixelBuffer {
    /// A picture whose pixels a function of their place gives, premultiplied.
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

    /// A picture of one colour.
    public static func filled(
        _ pixel: Pixel, _ size: PixelSize = PixelSize(width: 1, height: 1)
    ) throws(TintypeError) -> PixelBuffer {
        try drawn(size) { _, _ in pixel }
    }
}

/// How far two pictures of one size are apart, over all channels; 0 to 255.
public struct PixelDifference: Equatable, Sendable {
    public var maximum: Int
    public var mean: Double

    /// `nil` when the sizes differ.
    public init?(_ left: PixelBuffer, _ right: PixelBuffer) {
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
