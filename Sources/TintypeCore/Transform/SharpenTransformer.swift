import CTintypeKernels

/// Sharpens an image with an unsharp mask: the difference between the image and a blurred copy is added to it.
///
/// Radius, amount and threshold mean what they mean in Pillow's `UnsharpMask` and in most editors. Alpha does not
/// change.
public struct SharpenTransformer: BuiltInTransformer, Hashable {
    /// The standard deviation of the blur in pixels. 0 changes nothing. Limited as in ``BlurTransformer/radius``.
    package var radius: Double
    /// How much of the difference is added: 0 for nothing, 1 for all of it, at most 100.
    package var amount: Double
    /// The largest difference, 0 to 255, that is left as it is, so that noise is not sharpened.
    package var threshold: Int

    /// Creates a transformer that sharpens.
    ///
    /// - Parameters:
    ///   - radius: The standard deviation of the blur in pixels.
    ///   - amount: How much of the difference is added, 0 to 100.
    ///   - threshold: The largest difference that is left as it is, 0 to 255.
    public init(radius: Double, amount: Double = 1, threshold: Int = 0) {
        (self.radius, self.amount, self.threshold) = (radius, amount, threshold)
    }

    /// The kind of the transformer and its parameters.
    package var name: String { "sharpen(\(radius.canonical),\(amount.canonical),\(threshold))" }

    /// Returns the sharpened image.
    ///
    /// - Throws: ``TintypeError/Code/transformFailed`` if a parameter is out of range,
    ///   ``TintypeError/Code/outOfMemory``, ``TintypeError/Code/cancelled``.
    package func apply(to pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        guard amount >= 0, amount <= 100 else {
            throw .transformFailed("the amount of sharpening must be 0 to 100, not \(amount)")
        }
        guard (0...255).contains(threshold) else {
            throw .transformFailed("the threshold of sharpening must be 0 to 255, not \(threshold)")
        }
        let blurred = try BlurTransformer(radius: radius).transform(pixels)
        let (weight, size) = (Int32((amount * 256).rounded()), pixels.size)
        guard weight > 0 else { return pixels }
        return try pixels.copied(to: size) { source, target, stride throws(TintypeError) in
            try blurred.withUnsafeBytes { mask throws(TintypeError) in
                guard let mask = mask.bindMemory(to: UInt8.self).baseAddress else { return }
                try Strips(of: size.height, bytesPerRow: stride).forEachAtOnce { rows in
                    let first = rows.lowerBound
                    tintype_kernels_current().pointee.sharpen(
                        source + first * pixels.bytesPerRow, pixels.bytesPerRow, mask + first * blurred.bytesPerRow,
                        blurred.bytesPerRow, target + first * stride, stride, size.width, rows.count, weight,
                        Int32(threshold))
                }
            }
        }
    }
}
