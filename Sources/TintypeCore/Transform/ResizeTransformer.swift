/// Gives a picture another size in pixels. Never makes it larger.
public struct ResizeTransformer: ImageTransformer {
    /// What happens when the aspect ratio of the picture is not that of the asked size.
    public enum Mode: String, CaseIterable, Hashable, Sendable {
        /// The whole picture, as large as fits into the size.
        case fit
        /// The size is covered; what does not fit is cut off evenly on both sides.
        case fill
        /// The whole picture, each side resized on its own.
        case stretch
    }

    public var size: PixelSize
    public var mode: Mode
    public var filter: ResampleFilter

    public init(to size: PixelSize, mode: Mode = .fit, filter: ResampleFilter = .lanczos3) {
        self.size = size
        self.mode = mode
        self.filter = filter
    }

    public var identifier: String {
        "resize(\(size),\(mode.rawValue),\(filter.rawValue))"
    }

    public func transform(_ pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        guard size.isPositive else {
            throw TintypeError(.transformFailed, stage: .transform, "a picture cannot be resized to \(size)")
        }
        let (target, crop) = plan(for: pixels.size)
        return try pixels.resampled(crop: crop, to: target, filter: filter)
    }

    /// The size to make, and the part of the picture that it shows.
    func plan(for source: PixelSize) -> (target: PixelSize, crop: PixelRect?) {
        switch mode {
        case .fit: (source.fitted(into: size), nil)
        case .stretch: (source.clamped(to: size), nil)
        case .fill: fillPlan(source)
        }
    }

    private func fillPlan(_ source: PixelSize) -> (target: PixelSize, crop: PixelRect?) {
        let target = source.covering(size).clamped(to: size)
        let shown = PixelSize(
            width: min(source.width, (target.width * source.height / target.height).nonZero),
            height: min(source.height, (target.height * source.width / target.width).nonZero))
        return (target, shown == source ? nil : .centered(shown, in: source))
    }
}

extension Int {
    fileprivate var nonZero: Int { Swift.max(1, self) }
}
