/// A transformer whose every pixel depends on that pixel alone, and maybe on its place: it works in place, on any rows
/// by themselves, so that several of them cost one pass over memory.
protocol PixelwiseTransformer: ImageTransformer {
    /// Checks the parameters, and readies what all rows need of a picture of `size`; `nil` when nothing would change.
    ///
    /// - Throws: ``TintypeError/Code/transformFailed``.
    func operation(for size: PixelSize) throws(TintypeError) -> PixelOperation?
}

extension PixelwiseTransformer {
    /// - Throws: ``TintypeError/Code/transformFailed``, ``TintypeError/Code/outOfMemory``.
    public func transform(_ pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        guard let operation = try operation(for: pixels.size) else { return pixels }
        return try pixels.applying([operation])
    }
}

/// What is done to some rows of a picture.
struct PixelOperation {
    let apply: (PixelStrip) -> Void
}

/// Some whole rows of a picture that is being made.
struct PixelStrip {
    /// The first row's first byte. Valid only while the strip is worked on.
    let pixels: UnsafeMutablePointer<UInt8>
    let stride: Int
    /// Of the rows that are here.
    let size: PixelSize
    /// The number of the first row in the picture.
    let firstRow: Int
}

extension PixelBuffer {
    /// A copy to which all operations are applied, strip by strip: each is read from memory once, and stays in the cache
    /// for all of them.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``, ``TintypeError/Code/cancelled``.
    func applying(_ operations: [PixelOperation]) throws(TintypeError) -> PixelBuffer {
        try copied(to: size) { source, target, stride throws(TintypeError) in
            try Strips(of: size.height, bytesPerRow: bytesPerRow).forEach { rows in
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
