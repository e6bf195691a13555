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
