import CTintypeKernels

/// Blurs an image with an approximate Gaussian. The cost does not depend on the radius. Edge pixels are extended.
public struct BlurTransformer: BuiltInTransformer {
    /// The standard deviation of the Gaussian in pixels. 0 changes nothing. It is limited to the longer side of the
    /// image and to 16,000.
    package var radius: Double

    /// Creates a transformer that blurs by `radius` pixels.
    public init(radius: Double) {
        self.radius = radius
    }

    /// The kind of the transformer and the radius.
    package var name: String { "blur(\(radius.canonical))" }

    /// Returns the blurred image.
    ///
    /// - Throws: ``TintypeError/Code/transformFailed`` if the radius is negative or not a number,
    ///   ``TintypeError/Code/outOfMemory``, ``TintypeError/Code/cancelled``.
    package func apply(to pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        // Infinity is valid: it is limited like any large radius.
        guard radius >= 0 else { throw .transformFailed("the blur radius must be 0 or more, not \(radius)") }
        let limited = min(radius, Double(max(pixels.size.width, pixels.size.height)), 16_000)
        guard let box = BlurBox(radius: limited) else { return pixels }
        let length = max(pixels.size.width, pixels.size.height)
        let threads = SpareThreads(forBytes: pixels.byteCount)
        let scratch = try PixelStorage(byteCount: threads.count * 64 * length * MemoryLayout<UInt16>.stride)
        defer { withExtendedLifetime(scratch) {} }
        guard let scratchRows = scratch.bytes.bindMemory(to: UInt16.self).baseAddress else {
            throw TintypeError(.outOfMemory, stage: .transform, "not enough memory for blurring")
        }
        let (size, sourceStride) = (pixels.size, pixels.bytesPerRow)
        return try pixels.copied(to: size) { source, target, stride throws(TintypeError) in
            let blur = tintype_kernels_current().pointee.blur
            // The kernel blurs eight rows or columns at a time.
            try Strips(of: size.height, bytesPerRow: stride, multiple: 8).forEach(on: threads) { rows, thread in
                blur(
                    source + rows.lowerBound * sourceStride, sourceStride, target + rows.lowerBound * stride, stride,
                    size.width, rows.count, 0, box.reach, box.fullWeight, box.edgeWeight,
                    scratchRows + thread * 64 * length)
            }
            let bytesPerColumn = size.height * PixelBuffer.bytesPerPixel
            // Sixteen columns fill cache lines, which no two threads should write.
            try Strips(of: size.width, bytesPerRow: bytesPerColumn, multiple: 16).forEach(on: threads) {
                columns, thread in
                let column = target + columns.lowerBound * PixelBuffer.bytesPerPixel
                blur(
                    column, stride, column, stride, columns.count, size.height, 1, box.reach, box.fullWeight,
                    box.edgeWeight, scratchRows + thread * 64 * length)
            }
        }
    }
}

/// An extended box filter that, applied three times, has the variance of a Gaussian.
///
/// Pixels up to `reach` away have full weight; the next one on each side has a smaller weight. (Gwosdek et al.,
/// "Theoretical Foundations of Gaussian Convolution by Extended Box Filtering", 2011.)
struct BlurBox: Equatable {
    /// The number of full-weight pixels on each side of the centre.
    let reach: Int
    /// The weight of each pixel within the reach. All weights sum to 1.
    let fullWeight: Float
    /// The weight of each of the two pixels just beyond the reach.
    let edgeWeight: Float

    /// Creates the filter for a standard deviation in pixels, or `nil` if the radius is so small that no pixel would
    /// change.
    init?(radius: Double) {
        let variance = radius * radius / 3
        guard variance > 0 else { return nil }
        let wholeReach = (((12 * variance + 1).squareRoot() - 1) / 2).rounded(.down)
        let next = (wholeReach + 1) * (wholeReach + 1)
        let edgeFraction =
            (2 * wholeReach + 1) * (wholeReach * (wholeReach + 1) - 3 * variance) / (6 * (variance - next))
        let sum = 2 * wholeReach + 1 + 2 * edgeFraction
        // An edge weight below 1/131,072 changes an 8-bit channel by less than 1/512 of a step, which rounding removes.
        guard wholeReach > 0 || edgeFraction / sum > 1.0 / 131_072 else { return nil }
        reach = Int(wholeReach)
        fullWeight = Float(1 / sum)
        edgeWeight = Float(edgeFraction / sum)
    }
}
