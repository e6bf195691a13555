import CTintypeKernels

/// Blurs a picture like a Gaussian, in a time that does not grow with the radius. Edges count on as they are.
public struct BlurTransformer: ImageTransformer {
    /// The standard deviation of the Gaussian, in pixels. 0 changes nothing; beyond the longer side of the picture, or
    /// 16000, it counts as that.
    public var radius: Double

    public init(radius: Double) {
        self.radius = radius
    }

    public var identifier: String { "blur(\(radius.canonical))" }

    /// - Throws: ``TintypeError/Code/transformFailed`` for a radius below 0 or that is no number,
    ///   ``TintypeError/Code/outOfMemory``.
    public func transform(_ pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        // Infinity is as far as it goes, like all that is large.
        guard radius >= 0 else { throw .transformFailed("a picture cannot be blurred by \(radius)") }
        let limited = min(radius, Double(max(pixels.size.width, pixels.size.height)), 16_000)
        guard let box = BlurBox(radius: limited) else { return pixels }
        let length = max(pixels.size.width, pixels.size.height)
        let scratch = try PixelStorage(byteCount: 64 * length * MemoryLayout<UInt16>.stride)
        defer { withExtendedLifetime(scratch) {} }
        let numbers = scratch.bytes.bindMemory(to: UInt16.self).baseAddress
        let (size, sourceStride) = (pixels.size, pixels.bytesPerRow)
        return try pixels.copied(to: size) { source, target, stride in
            let kernels = tintype_kernels_current()
            kernels.pointee.blur(
                source, sourceStride, target, stride, size.width, size.height, 0, box.reach, box.full, box.edge,
                numbers)
            kernels.pointee.blur(
                target, stride, target, stride, size.width, size.height, 1, box.reach, box.full, box.edge, numbers)
        }
    }
}
