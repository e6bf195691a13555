import CTintypeKernels

/// Replaces squares of pixels by their average colour. Squares at the right and the bottom edge may be cut.
public struct PixelateTransformer: BuiltInTransformer, Hashable {
    /// The side of the squares in pixels. 1 changes nothing.
    package var side: Int

    /// Creates a transformer that averages squares of `side` × `side` pixels.
    public init(side: Int) {
        self.side = side
    }

    /// The kind of the transformer and the side.
    package var name: String { "pixelate(\(side))" }

    /// Returns the image of squares.
    ///
    /// - Throws: ``TintypeError/Code/transformFailed`` if the side is not positive, ``TintypeError/Code/outOfMemory``,
    ///   ``TintypeError/Code/cancelled``.
    package func apply(to pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        guard side > 0 else { throw .transformFailed("the side of the squares must be positive, not \(side)") }
        guard side > 1 else { return pixels }
        let size = pixels.size
        let square = min(side, max(size.width, size.height))
        var sums = [UInt64](repeating: 0, count: 4 * ((size.width + square - 1) / square))
        return try pixels.copied(to: size) { source, target, stride throws(TintypeError) in
            // A strip is one row of squares.
            try Strips(of: size.height, bytesPerRow: stride, byteCount: 1, multiple: square).forEach { rows in
                sums.withUnsafeMutableBufferPointer { sums in
                    for y in rows { Self.add(source + y * pixels.bytesPerRow, size.width, square, to: sums) }
                    let first = target + rows.lowerBound * stride
                    Self.fill(first, size.width, square, rows.count, from: sums)
                    for row in 1..<max(rows.count, 1) {
                        (first + row * stride).update(from: first, count: size.width * PixelBuffer.bytesPerPixel)
                    }
                }
            }
        }
    }

    /// Adds the pixels of a row to the sums of their squares.
    private static func add(
        _ row: UnsafePointer<UInt8>, _ width: Int, _ square: Int, to sums: UnsafeMutableBufferPointer<UInt64>
    ) {
        for (index, first) in stride(from: 0, to: width, by: square).enumerated() {
            for x in first..<min(first + square, width) {
                for channel in 0..<4 { sums[4 * index + channel] += UInt64(row[4 * x + channel]) }
            }
        }
    }

    /// Writes a row of averages, and sets the sums to 0.
    private static func fill(
        _ row: UnsafeMutablePointer<UInt8>, _ width: Int, _ square: Int, _ height: Int,
        from sums: UnsafeMutableBufferPointer<UInt64>
    ) {
        for (index, first) in stride(from: 0, to: width, by: square).enumerated() {
            let last = min(first + square, width)
            let area = UInt64((last - first) * height)
            for channel in 0..<4 {
                let average = UInt8((sums[4 * index + channel] + area / 2) / area)
                sums[4 * index + channel] = 0
                for x in first..<last { row[4 * x + channel] = average }
            }
        }
    }
}
