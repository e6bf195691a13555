/// A transformer that crops, scales, rotates or mirrors an image, and can apply the same operation to its HDR pixels.
/// Programs can supply their own.
///
/// ``Image/transformed(by:)`` keeps ``Image/highRange`` for such transformers. Of others, which work on 8-bit colours,
/// it keeps the gains over these colours if the transformer changes each pixel by itself.
public protocol GeometricTransformer: ImageTransformer {
    /// Returns the HDR pixels that correspond to the result of ``ImageTransformer/transform(_:)``.
    ///
    /// - Parameters:
    ///   - highRange: The HDR pixels of the image, of the same size as `pixels`.
    ///   - pixels: The image before it is transformed.
    /// - Returns: `nil` if this transformer cannot transform HDR pixels with its current parameters.
    /// - Throws: The errors of ``ImageTransformer/transform(_:)``.
    func transform(_ highRange: HighRangePixels, of pixels: PixelBuffer) throws(TintypeError) -> HighRangePixels?
}

/// A geometric transformer of Tintype.
package protocol BuiltInGeometricTransformer: GeometricTransformer {
    /// Does what ``GeometricTransformer/transform(_:of:)`` does.
    func apply(to highRange: HighRangePixels, of pixels: PixelBuffer) throws(TintypeError) -> HighRangePixels?
}

extension BuiltInGeometricTransformer {
    /// Returns the HDR pixels after the transformation; `nil` if this transformer cannot transform them.
    public func transform(
        _ highRange: HighRangePixels, of pixels: PixelBuffer
    ) throws(TintypeError) -> HighRangePixels? {
        try apply(to: highRange, of: pixels)
    }
}

extension CropTransformer: BuiltInGeometricTransformer {
    /// Returns the pixels cropped to the same part as the image.
    ///
    /// - Throws: ``TintypeError/Code/transformFailed`` if no pixel would be left, ``TintypeError/Code/outOfMemory``,
    ///   ``TintypeError/Code/cancelled``.
    package func apply(
        to highRange: HighRangePixels, of pixels: PixelBuffer
    ) throws(TintypeError) -> HighRangePixels? {
        try highRange.cropped(to: rect(in: pixels))
    }
}

extension ResizeTransformer: BuiltInGeometricTransformer {
    /// Returns the pixels scaled with the filter of the image.
    ///
    /// - Throws: ``TintypeError/Code/transformFailed``, ``TintypeError/Code/limitExceeded``,
    ///   ``TintypeError/Code/outOfMemory``, ``TintypeError/Code/cancelled``.
    package func apply(
        to highRange: HighRangePixels, of pixels: PixelBuffer
    ) throws(TintypeError) -> HighRangePixels? {
        let plan = try checkedPlan(for: pixels.size)
        // The scaled image is too large to create in full, so there are no HDR pixels to crop.
        guard plan.scaledSize == pixels.size || (try? plan.scaledSize.checkedForTransform()) != nil else { return nil }
        let whole = PixelRect(x: 0, y: 0, size: highRange.size)
        let scaled = try highRange.resampled(
            crop: whole, to: plan.scaledSize, filter: filter)
        guard let cropRect = plan.cropRect else { return scaled }
        guard gravity == .smart, focalPoint == nil else { return try scaled.cropped(to: cropRect) }
        let covering = try pixels.resampled(to: plan.scaledSize, filter: filter)
        return try scaled.cropped(to: SmartCrop.rect(of: cropRect.size, in: covering))
    }
}

extension FlipTransformer: BuiltInGeometricTransformer {
    /// Returns the mirrored pixels.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``, ``TintypeError/Code/cancelled``.
    package func apply(
        to highRange: HighRangePixels, of pixels: PixelBuffer
    ) throws(TintypeError) -> HighRangePixels? {
        try highRange.oriented(orientation)
    }
}

extension RotateTransformer: BuiltInGeometricTransformer {
    /// Returns the pixels turned by quarter turns; `nil` for other angles.
    ///
    /// - Throws: ``TintypeError/Code/transformFailed`` if the angle is not finite, ``TintypeError/Code/outOfMemory``,
    ///   ``TintypeError/Code/cancelled``.
    package func apply(
        to highRange: HighRangePixels, of pixels: PixelBuffer
    ) throws(TintypeError) -> HighRangePixels? {
        let angle = try normalizedDegrees.checkedForTransform("angle")
        return try exactOrientation(for: angle, of: pixels.size).map { (orientation) throws(TintypeError) in
            try highRange.oriented(orientation)
        }
    }
}

extension TransformerChain: BuiltInGeometricTransformer {
    /// Returns the pixels after all transformers; `nil` unless each of them is geometric or changes each pixel by
    /// itself.
    ///
    /// - Throws: The errors of the transformers; ``TintypeError/Code/cancelled``.
    package func apply(
        to highRange: HighRangePixels, of pixels: PixelBuffer
    ) throws(TintypeError) -> HighRangePixels? {
        let steps = transformers.flattened
        guard steps.allSatisfy({ $0 is any GeometricTransformer || $0 is any PixelwiseTransformer }) else { return nil }
        var (highRange, pixels) = (highRange, pixels)
        for step in steps {
            try TransformContext.current.checkCancelled()
            let result = try step.transform(pixels)
            guard let next = try step.transform(highRange, of: pixels, to: result) else { return nil }
            (highRange, pixels) = (next, result)
        }
        return highRange
    }
}
