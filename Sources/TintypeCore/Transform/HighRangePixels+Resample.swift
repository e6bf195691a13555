extension HighRangePixels {
    /// Returns a part of this image, resampled to `target` with the filters of the 8-bit pixels.
    ///
    /// The sums are floats, so values outside 0 to 1 are not clipped.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``, ``TintypeError/Code/cancelled``.
    package func resampled(
        crop: PixelRect, to target: PixelSize, filter: ResampleFilter = .lanczos3
    ) throws(TintypeError) -> HighRangePixels {
        guard crop.size != size || target != size else { return self }
        let across = HighRangeAxis(source: size.width, from: crop.x, crop.size.width, to: target.width, filter)
        let down = HighRangeAxis(source: size.height, from: crop.y, crop.size.height, to: target.height, filter)
        let narrow = try HighRangePixels(size: PixelSize(width: target.width, height: size.height)) { x, y in
            across.sum(at: x) { self[$0, y] }
        }
        return try HighRangePixels(size: target) { x, y in
            let sum = down.sum(at: y) { narrow[x, $0] }
            // The filter overshoots at edges; alpha outside 0 to 1 has no meaning.
            return sum.replacing(alpha: min(max(sum.w, 0), 1))
        }
    }

    /// Returns the image at another size.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``, ``TintypeError/Code/cancelled``.
    func resized(to target: PixelSize) throws(TintypeError) -> HighRangePixels {
        try resampled(crop: PixelRect(x: 0, y: 0, size: size), to: target)
    }
}

/// The resampling weights of one axis.
private struct HighRangeAxis {
    private let first: Int
    private let factor: Int
    private let margin: Int
    private let last: Int
    private let weights: ResampleWeights

    init(source: Int, from start: Int, _ length: Int, to output: Int, _ filter: ResampleFilter) {
        let axis = ResampleAxis(
            source: source, crop: Double(start)..<Double(start + length), output: output, outputRange: 0..<output,
            filter: filter)
        (first, factor, margin) = (axis.sourceRange.lowerBound, axis.shrinkFactor, axis.margin)
        last = axis.sourceRange.upperBound - 1
        weights = axis.weights(filter)
    }

    func sum(at index: Int, _ pixel: (Int) -> SIMD4<Float>) -> SIMD4<Float> {
        var sum = SIMD4<Float>.zero
        for tap in 0..<weights.taps {
            let weight = Float(weights.weights[index * weights.taps + tap]) / Float(ResampleWeights.one)
            guard weight != 0 else { continue }
            sum += average(Int(weights.starts[index]) + tap - margin, pixel) * weight
        }
        return sum
    }

    /// Returns the mean of a block of source pixels. Positions outside the source take the nearest pixel.
    private func average(_ block: Int, _ pixel: (Int) -> SIMD4<Float>) -> SIMD4<Float> {
        var sum = SIMD4<Float>.zero
        for offset in block * factor..<(block + 1) * factor { sum += pixel(min(max(first + offset, first), last)) }
        return sum / Float(factor)
    }
}

extension SIMD4<Float> {
    fileprivate func replacing(alpha: Float) -> SIMD4<Float> {
        var copy = self
        copy.w = alpha
        return copy
    }
}
