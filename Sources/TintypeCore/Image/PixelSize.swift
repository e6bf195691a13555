/// A width and a height in pixels.
public struct PixelSize: Hashable, Sendable, CustomStringConvertible {
    public var width: Int
    public var height: Int

    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// `"WxH"`, the form that keys and the command use.
    public var description: String { "\(width)x\(height)" }

    /// The number of pixels; saturates instead of overflowing.
    public var area: Int {
        let (product, overflow) = width.multipliedReportingOverflow(by: height)
        return overflow ? .max : product
    }

    /// Whether both sides are at least one pixel.
    public var isPositive: Bool { width > 0 && height > 0 }

    /// The same size with its axes exchanged.
    public var swapped: PixelSize { PixelSize(width: height, height: width) }
}

extension PixelSize {
    /// The largest size of this aspect ratio that fits into `box`, at least 1×1, never larger than this size.
    ///
    /// A side of `box` that is zero or less does not limit.
    public func fitted(into box: PixelSize) -> PixelSize {
        let scale = min(limit(width, box.width), limit(height, box.height), 1)
        return scaled(by: scale)
    }

    /// The smallest size of this aspect ratio that covers `box`, never larger than this size.
    public func covering(_ box: PixelSize) -> PixelSize {
        scaled(by: min(max(limit(width, box.width), limit(height, box.height)), 1))
    }

    /// This size times `scale`, rounded, at least 1×1.
    public func scaled(by scale: Double) -> PixelSize {
        PixelSize(
            width: max(1, Int((Double(width) * scale).rounded())),
            height: max(1, Int((Double(height) * scale).rounded())))
    }

    /// This size with each side at most that of `box`, at least 1×1.
    public func clamped(to box: PixelSize) -> PixelSize {
        PixelSize(
            width: box.width > 0 ? min(width, box.width) : width,
            height: box.height > 0 ? min(height, box.height) : height)
    }

    private func limit(_ side: Int, _ allowed: Int) -> Double {
        allowed > 0 && side > 0 ? Double(allowed) / Double(side) : .infinity
    }
}
