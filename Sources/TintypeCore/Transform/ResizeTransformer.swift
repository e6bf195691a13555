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
        let options = [gravity == .center ? "" : ",\(gravity.rawValue)", isEnlarging ? ",enlarge" : ""].joined()
        return "resize(\(size),\(mode.rawValue),\(filter.rawValue)\(options))"
    }

    /// - Throws: ``TintypeError/Code/transformFailed`` for an empty size, ``TintypeError/Code/limitExceeded``,
    ///   ``TintypeError/Code/outOfMemory``.
    public func transform(_ pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        let asked = try size.checkedForTransform()
        guard mode == .fill, gravity == .smart else {
            let (target, crop) = plan(for: pixels.size)
            return try pixels.resampled(crop: crop, to: target.checkedForTransform(), filter: filter)
        }
        let (target, shown) = fillPlan(pixels.size, covering: asked)
        let crop = shown == pixels.size ? nil : try SmartCrop.rect(shown, in: pixels)
        return try pixels.resampled(crop: crop, to: target, filter: filter)
    }

    /// The size to make, and the part of the picture that it shows. What is smart is taken for the middle.
    func plan(for source: PixelSize) -> (target: PixelSize, crop: PixelRect?) {
        switch mode {
        case .fit: return (source.fitted(into: size, enlarging: isEnlarging), nil)
        case .stretch: return (isEnlarging ? size : source.clamped(to: size), nil)
        case .fill:
            let (target, shown) = fillPlan(source, covering: size)
            return (target, shown == source ? nil : gravity.rect(shown, in: source))
        }
    }

    /// The size to make, and how much of the picture it shows.
    private func fillPlan(_ source: PixelSize, covering size: PixelSize) -> (target: PixelSize, shown: PixelSize) {
        let target = source.covering(size, enlarging: isEnlarging).clamped(to: size)
        let across = Double(source.width) / Double(target.width)
        let down = Double(source.height) / Double(target.height)
        let scale = min(across, down)
        return (target, target.scaled(by: scale).clamped(to: source))
    }
}
