/// Resizes an image.
public struct ResizeTransformer: BuiltInTransformer {
    /// How the image is fitted if its aspect ratio differs from that of the requested size.
    public enum Mode: String, CaseIterable, Hashable, Sendable {
        /// The whole image, as large as fits into the size. The result may be smaller than the size: see
        /// ``TransformerChain/letterbox(_:color:isEnlarging:)`` for SDWebImage's aspect fit.
        case fit
        /// The image covers the size, and the rest is cropped. SDWebImage's aspect fill.
        case fill
        /// The whole image, with each side resized independently. SDWebImage's fill.
        case stretch
    }

    /// The requested size in pixels.
    package var size: PixelSize
    /// How the image is fitted into the size.
    package var mode: Mode
    /// The resampling filter.
    package var filter: ResampleFilter
    /// The part that is kept if ``Mode/fill`` crops the image.
    package var gravity: Gravity
    /// The point that stays near the centre if ``Mode/fill`` crops the image, instead of ``gravity``.
    package var focalPoint: FocalPoint?
    /// Whether a smaller image is enlarged.
    package var isEnlarging: Bool

    /// Creates a transformer that resizes an image to `size` in pixels.
    public init(
        to size: PixelSize, mode: Mode = .fit, filter: ResampleFilter = .lanczos3, gravity: Gravity = .center,
        focalPoint: FocalPoint? = nil, isEnlarging: Bool = false
    ) {
        self.size = size
        self.mode = mode
        self.filter = filter
        self.gravity = gravity
        self.focalPoint = focalPoint
        self.isEnlarging = isEnlarging
    }

    /// The kind of the transformer and its parameters.
    package var name: String {
        // Gravity matters only if the mode crops.
        let gravityPart = focalPoint.map { $0.identifier } ?? (gravity == .center ? nil : gravity.rawValue)
        let options = (mode == .fill ? gravityPart.map { ",\($0)" } ?? "" : "") + (isEnlarging ? ",enlarge" : "")
        return "resize(\(size),\(mode.rawValue),\(filter.rawValue)\(options))"
    }

    /// Whether the part that is kept depends only on the size of the image.
    package var appliesToPreviews: Bool { gravity != .smart || mode != .fill }

    /// Returns the resized image.
    ///
    /// - Throws: ``TintypeError/Code/transformFailed`` if the size is empty, ``TintypeError/Code/limitExceeded``,
    ///   ``TintypeError/Code/outOfMemory``, ``TintypeError/Code/cancelled``.
    package func apply(to pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        let plan = try checkedPlan(for: pixels.size)
        guard let cropRect = plan.cropRect, gravity == .smart, focalPoint == nil else {
            return try pixels.resampled(to: plan.scaledSize, outputRect: plan.cropRect, filter: filter)
        }
        let covering = try pixels.resampled(to: plan.scaledSize.checkedForTransform(), filter: filter)
        return try covering.cropped(to: SmartCrop.rect(of: cropRect.size, in: covering))
    }

    /// Returns the size to scale the image to and the part of the scaled image to keep. Smart gravity is treated as
    /// centre.
    ///
    /// An image that its decoder already scaled to this size yields the same result as the full image.
    func plan(for source: PixelSize) -> (scaledSize: PixelSize, cropRect: PixelRect?) {
        switch mode {
        case .fit: return (source.fitted(into: size, enlarging: isEnlarging), nil)
        case .stretch: return (isEnlarging ? size : source.clamped(to: size), nil)
        case .fill:
            let scaledSize = source.covering(size, enlarging: isEnlarging)
            let cropSize = scaledSize.clamped(to: size)
            let rect = focalPoint?.rect(cropSize, in: scaledSize) ?? gravity.rect(cropSize, in: scaledSize)
            return (scaledSize, cropSize == scaledSize ? nil : rect)
        }
    }

    func checkedPlan(for source: PixelSize) throws(TintypeError) -> (
        scaledSize: PixelSize, cropRect: PixelRect?
    ) {
        guard size.isPositive else { throw .transformFailed("an image cannot have the size \(size)") }
        let plan = plan(for: source)
        // An image that keeps its size needs no check, however large the requested size is.
        if plan.scaledSize != source { _ = try (plan.cropRect?.size ?? plan.scaledSize).checkedForTransform() }
        return plan
    }
}

extension ResizeTransformer: ContentTransformer {
    func resolved(for pixels: PixelBuffer) throws(TintypeError) -> any ImageTransformer {
        let plan = try checkedPlan(for: pixels.size)
        guard let cropRect = plan.cropRect, gravity == .smart, focalPoint == nil else { return self }
        let covering = try pixels.resampled(to: plan.scaledSize.checkedForTransform(), filter: filter)
        return TransformerChain([
            ResizeTransformer(to: plan.scaledSize, mode: .stretch, filter: filter, isEnlarging: true),
            CropTransformer(to: try SmartCrop.rect(of: cropRect.size, in: covering)),
        ])
    }
}
