/// The exact size of a vector image, in pixels or points of its own.
///
/// A requested size is computed from it, and rounded once: a drawing of 1.5 × 1 that is fitted into 600 × 600 has 600 ×
/// 400 pixels.
public struct DrawingSize: Hashable, Sendable {
    /// The width. Any value is accepted, as a document may state any.
    public var width: Double
    /// The height.
    public var height: Double

    /// Creates a size.
    public init(width: Double, height: Double) {
        (self.width, self.height) = (width, height)
    }

    /// Creates the size of a part in whole pixels.
    package init(_ size: PixelSize) {
        self.init(width: Double(size.width), height: Double(size.height))
    }

    /// The size in whole pixels: the sides are rounded up, and clamped to 0…10⁹. NaN and infinity become 0.
    package var pixels: PixelSize {
        func roundedUp(_ side: Double) -> Int { side.isFinite ? Int(min(max(side.rounded(.up), 0), 1e9)) : 0 }
        return PixelSize(width: roundedUp(width), height: roundedUp(height))
    }

    /// Returns the size times `scale`, rounded: at least 1×1, at most 10⁹ per side.
    private func scaled(by scale: Double) -> PixelSize {
        guard scale.isFinite else { return pixels }
        func side(_ length: Double) -> Int { Int(min(max((length * scale).rounded(), 1), 1e9)) }
        return PixelSize(width: side(width), height: side(height))
    }

    /// Returns the size with which the drawing fits into `box`. A side of `box` that is zero or less sets no limit.
    func fitted(into box: PixelSize) -> PixelSize {
        scaled(by: min(scale(width, to: box.width), scale(height, to: box.height)))
    }

    /// Returns the smallest size with which the drawing covers `box`; sides as in ``fitted(into:)``.
    func covering(_ box: PixelSize) -> PixelSize {
        scaled(by: max(scale(width, to: box.width), scale(height, to: box.height)))
    }

    private func scale(_ side: Double, to allowed: Int) -> Double {
        allowed > 0 ? Double(allowed) / side : .infinity
    }
}

extension ImageInfo {
    /// Creates the description of a vector image.
    package init(format: ImageFormat, drawing: DrawingSize, hasAlpha: Bool = false, density: PixelDensity? = nil) {
        self.init(format: format, size: drawing.pixels, hasAlpha: hasAlpha, density: density)
        if size.isPositive { self.drawing = drawing }
    }
}
