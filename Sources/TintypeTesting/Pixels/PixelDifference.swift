public import TintypeCore

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
