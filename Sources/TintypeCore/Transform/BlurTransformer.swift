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
        let scratchRows = scratch.bytes.bindMemory(to: UInt16.self).baseAddress
        let (size, sourceStride) = (pixels.size, pixels.bytesPerRow)
        return try pixels.copied(to: size) { source, target, stride throws(TintypeError) in
            let blur = tintype_kernels_current().pointee.blur
            // Lines are blurred eight at a time.
            try Strips(of: size.height, bytesPerRow: stride, multiple: 8).forEach { rows in
                blur(
                    source + rows.lowerBound * sourceStride, sourceStride, target + rows.lowerBound * stride, stride,
                    size.width, rows.count, 0, box.reach, box.fullWeight, box.edgeWeight, scratchRows)
            }
            let bytesPerColumn = size.height * PixelBuffer.bytesPerPixel
            try Strips(of: size.width, bytesPerRow: bytesPerColumn, multiple: 8).forEach { columns in
                let column = target + columns.lowerBound * PixelBuffer.bytesPerPixel
                blur(
                    column, stride, column, stride, columns.count, size.height, 1, box.reach, box.fullWeight,
                    box.edgeWeight,
                    scratchRows)
            }
        }
    }
}

/// A box that, applied three times, has the variance of a Gaussian: pixels up to `reach` away count fully, the next
/// ones a little. (Gwosdek et al., "Theoretical Foundations of Gaussian Convolution by Extended Box Filtering", 2011.)
struct BlurBox: Equatable {
    let reach: Int
    /// The weight of each pixel within the reach; all weights sum to 1.
    let fullWeight: Float
    /// The weight of each of the two beyond it.
    let edgeWeight: Float

    /// - Returns: `nil` for a radius so small that no pixel would change.
    init?(radius: Double) {
        let variance = radius * radius / 3
        guard variance > 0 else { return nil }
        let wholeReach = (((12 * variance + 1).squareRoot() - 1) / 2).rounded(.down)
        let next = (wholeReach + 1) * (wholeReach + 1)
        let edgeFraction =
            (2 * wholeReach + 1) * (wholeReach * (wholeReach + 1) - 3 * variance) / (6 * (variance - next))
        let sum = 2 * wholeReach + 1 + 2 * edgeFraction
        // Below a 512th of a step nothing is left after rounding.
        guard wholeReach > 0 || edgeFraction / sum > 1.0 / 131_072 else { return nil }
        reach = Int(wholeReach)
        fullWeight = Float(1 / sum)
        edgeWeight = Float(edgeFraction / sum)
    }
}
