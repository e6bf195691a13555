/// A transformer that computes each pixel from that pixel alone and its position.
///
/// It works in place on any range of rows, so a chain of them costs one pass over memory.
protocol PixelwiseTransformer: BuiltInTransformer {
    /// Checks the parameters and prepares the operation for images of `size`.
    ///
    /// - Returns: `nil` if the operation would change nothing.
    /// - Throws: ``TintypeError/Code/transformFailed`` if a parameter is invalid.
    func operation(for size: PixelSize) throws(TintypeError) -> PixelOperation?
}

extension PixelwiseTransformer {
    /// Returns `true`.
    package var appliesToPreviews: Bool { true }

    /// Returns the transformed pixels; the same buffer if nothing changes.
    ///
    /// - Throws: ``TintypeError/Code/transformFailed``, ``TintypeError/Code/outOfMemory``,
    ///   ``TintypeError/Code/cancelled``.
    package func apply(to pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        guard let operation = try operation(for: pixels.size) else { return pixels }
        return try pixels.applying([operation])
    }
}

extension ImageTransformer {
    /// Whether the transformer changes pixels one by one, and leaves the size of every image as it is.
    package var isPixelwise: Bool { self is any PixelwiseTransformer }
}

/// An operation that changes a strip of rows in place. It runs at once on several threads, for different strips.
struct PixelOperation {
    let apply: @Sendable (PixelStrip) -> Void
}

/// A strip of whole rows of an image that is being created.
struct PixelStrip {
    /// The first byte of the first row. Valid only while the operation runs.
    let pixels: UnsafeMutablePointer<UInt8>
    /// The distance between rows in bytes.
    let stride: Int
    /// The size of the strip in pixels.
    let size: PixelSize
    /// The index of the strip's first row in the image.
    let firstRow: Int
}

extension PixelBuffer {
    /// Returns a copy to which all operations were applied, strip by strip: a strip is read from memory once and stays
    /// in the CPU cache for all of them.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``, ``TintypeError/Code/cancelled``.
    func applying(_ operations: [PixelOperation]) throws(TintypeError) -> PixelBuffer {
        try copied(to: size) { source, target, stride throws(TintypeError) in
            try Strips(of: size.height, bytesPerRow: bytesPerRow).forEachAtOnce { rows in
                let first = rows.lowerBound
                (target + first * stride).update(from: source + first * bytesPerRow, count: rows.count * stride)
                let strip = PixelStrip(
                    pixels: target + first * stride, stride: stride,
                    size: PixelSize(width: size.width, height: rows.count), firstRow: first)
                for operation in operations { operation.apply(strip) }
            }
        }
    }
}
