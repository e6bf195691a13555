extension HighRangePixels {
    /// This picture, stored with `orientation`, turned upright.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    package func oriented(_ orientation: Orientation) throws(TintypeError) -> HighRangePixels {
        guard orientation != .up else { return self }
        let shown = orientation.displayed(size)
        return try drawn(shown) { x, y in
            let place = orientation.stored(PixelRect(x: x, y: y, size: PixelSize(width: 1, height: 1)), in: shown)
            return self[place.x, place.y]
        }
    }

    /// A part of this picture at a size, as the 8-bit pixels are brought to it; through floats, so that nothing is cut.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    package func resampled(
        crop: PixelRect, to target: PixelSize, filter: ResampleFilter = .lanczos3
    ) throws(TintypeError) -> HighRangePixels {
        guard crop.size != size || target != size else { return self }
        let across = HighRangeAxis(source: size.width, from: crop.x, crop.size.width, to: target.width, filter)
        let down = HighRangeAxis(source: size.height, from: crop.y, crop.size.height, to: target.height, filter)
        let narrow = try drawn(PixelSize(width: target.width, height: size.height)) { x, y in
            across.sum(at: x) { self[$0, y] }
        }
        return try narrow.drawn(target) { x, y in
            let sum = down.sum(at: y) { narrow[x, $0] }
            // The filter overshoots at edges: alpha means nothing beyond 0 and 1.
            return sum.replacing(alpha: min(max(sum.w, 0), 1))
        }
    }

    private func drawn(
        _ size: PixelSize, _ pixel: (Int, Int) -> SIMD4<Float>
    ) throws(TintypeError) -> HighRangePixels {
        var writer = try Self.writer(size)
        for y in 0..<size.height {
            writer.withRows(from: y) { row in
                for x in 0..<size.width {
                    row.storeBytes(
                        of: SIMD4<Float16>(pixel(x, y)), toByteOffset: x * Self.bytesPerPixel, as: SIMD4<Float16>.self)
                }
            }
        }
        return HighRangePixels(rows: writer.finish())
    }
}

/// The weights of one axis.
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

    /// What a block of source pixels is, the nearest one for what lies outside.
    private func average(_ block: Int, _ pixel: (Int) -> SIMD4<Float>) -> SIMD4<Float> {
        var sum = SIMD4<Float>.zero
        for place in block * factor..<(block + 1) * factor { sum += pixel(min(max(first + place, first), last)) }
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
