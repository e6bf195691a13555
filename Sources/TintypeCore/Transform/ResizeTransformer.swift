/// Gives a picture another size in pixels.
public struct ResizeTransformer: ImageTransformer {
    /// What happens when the aspect ratio of the picture is not that of the asked size.
    public enum Mode: String, CaseIterable, Hashable, Sendable {
        /// The whole picture, as large as fits into the size: SDWebImage's aspect fit.
        case fit
        /// The size is covered, and what does not fit is cut off: SDWebImage's aspect fill.
        case fill
        /// The whole picture, each side resized on its own: SDWebImage's fill.
        case stretch
    }

    public var size: PixelSize
    public var mode: Mode
    public var filter: ResampleFilter
    /// What stays of a picture that ``Mode/fill`` cuts.
    public var gravity: Gravity
    /// Whether a picture that is smaller becomes larger.
    public var isEnlarging: Bool

    public init(
        to size: PixelSize, mode: Mode = .fit, filter: ResampleFilter = .lanczos3, gravity: Gravity = .center,
        isEnlarging: Bool = false
    ) {
        self.size = size
        self.mode = mode
        self.filter = filter
        self.gravity = gravity
        self.isEnlarging = isEnlarging
    }

    public var identifier: String {
        // Only what is cut has a part that stays.
        let gravityPart = mode == .fill && gravity != .center ? ",\(gravity.rawValue)" : ""
        let options = gravityPart + (isEnlarging ? ",enlarge" : "")
        return "resize(\(size),\(mode.rawValue),\(filter.rawValue)\(options))"
    }

    /// - Throws: ``TintypeError/Code/transformFailed`` for an empty size, ``TintypeError/Code/limitExceeded``,
    ///   ``TintypeError/Code/outOfMemory``.
    public func transform(_ pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        let plan = try checkedPlan(for: pixels.size)
        guard let cropRect = plan.cropRect, gravity == .smart else {
            return try pixels.resampled(to: plan.scaledSize, outputRect: plan.cropRect, filter: filter)
        }
        let covering = try pixels.resampled(to: plan.scaledSize.checkedForTransform(), filter: filter)
        return try covering.cropped(to: SmartCrop.rect(of: cropRect.size, in: covering))
    }

    /// The size to bring the picture to, and the part that stays of that. What is smart is taken for the middle.
    ///
    /// A picture that was brought to this size by its decoder gives the same as the whole one.
    func plan(for source: PixelSize) -> (scaledSize: PixelSize, cropRect: PixelRect?) {
        switch mode {
        case .fit: return (source.fitted(into: size, enlarging: isEnlarging), nil)
        case .stretch: return (isEnlarging ? size : source.clamped(to: size), nil)
        case .fill:
            let scaledSize = source.covering(size, enlarging: isEnlarging)
            let cropSize = scaledSize.clamped(to: size)
            return (scaledSize, cropSize == scaledSize ? nil : gravity.rect(cropSize, in: scaledSize))
        }
    }

    private func checkedPlan(for source: PixelSize) throws(TintypeError) -> (
        scaledSize: PixelSize, cropRect: PixelRect?
    ) {
        guard size.isPositive else { throw .transformFailed("no picture has the size \(size)") }
        let plan = plan(for: source)
        // One that stays as it is costs nothing, however large the box is that it was to fit into.
        if plan.scaledSize != source { _ = try (plan.cropRect?.size ?? plan.scaledSize).checkedForTransform() }
        return plan
    }
}

extension ResizeTransformer: ContentTransformer {
    func resolved(for pixels: PixelBuffer) throws(TintypeError) -> any ImageTransformer {
        let plan = try checkedPlan(for: pixels.size)
        guard let cropRect = plan.cropRect, gravity == .smart else { return self }
        let covering = try pixels.resampled(to: plan.scaledSize.checkedForTransform(), filter: filter)
        return TransformerChain([
            ResizeTransformer(to: plan.scaledSize, mode: .stretch, filter: filter, isEnlarging: true),
            CropTransformer(to: try SmartCrop.rect(of: cropRect.size, in: covering)),
        ])
    }
}
