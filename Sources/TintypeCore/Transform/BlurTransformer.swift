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
        return try pixels.copied(to: size) { source, target, stride throws(TintypeError) in
            let blur = tintype_kernels_current().pointee.blur
            // Lines are blurred eight at a time.
            try Strips(of: size.height, bytesPerRow: stride, multiple: 8).forEach { rows in
                blur(
                    source + rows.lowerBound * sourceStride, sourceStride, target + rows.lowerBound * stride, stride,
                    size.width, rows.count, 0, box.reach, box.full, box.edge, numbers)
            }
            let bytesPerColumn = size.height * PixelBuffer.bytesPerPixel
            try Strips(of: size.width, bytesPerRow: bytesPerColumn, multiple: 8).forEach { columns in
                let column = target + columns.lowerBound * PixelBuffer.bytesPerPixel
                blur(
                    column, stride, column, stride, columns.count, size.height, 1, box.reach, box.full, box.edge,
                    numbers)
            }
        }
    }
}
