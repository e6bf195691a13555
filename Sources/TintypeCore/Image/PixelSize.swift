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
        fitted(into: box, enlarging: false)
    }

    /// The smallest size of this aspect ratio that covers `box`, never larger than this size.
    public func covering(_ box: PixelSize) -> PixelSize {
        covering(box, enlarging: false)
    }

    /// The same, larger than this size where that is wanted.
    func fitted(into box: PixelSize, enlarging: Bool) -> PixelSize {
        scaled(by: limited(min(limit(width, box.width), limit(height, box.height)), enlarging))
    }

    /// The same, larger than this size where that is wanted.
    func covering(_ box: PixelSize, enlarging: Bool) -> PixelSize {
        scaled(by: limited(max(limit(width, box.width), limit(height, box.height)), enlarging))
    }

    private func limited(_ scale: Double, _ enlarging: Bool) -> Double {
        enlarging && scale.isFinite ? scale : min(scale, 1)
    }

    /// This size times `scale`, rounded, at least 1×1; saturates instead of overflowing.
    public func scaled(by scale: Double) -> PixelSize {
        func side(_ length: Int) -> Int {
            // What is not a number compares as false.
            let scaled = (Double(length) * scale).rounded()
            return scaled >= 1 ? Int(min(scaled, 0x1p62)) : 1
        }
        return PixelSize(width: side(width), height: side(height))
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

extension PixelSize {
    /// Whether a thumbnail of this size has as many pixels as are wanted of a picture, and its shape: those of cameras may
    /// have black bars.
    package func stands(for picture: PixelSize, atLeast wanted: PixelSize) -> Bool {
        guard isPositive, picture.isPositive, width >= wanted.width, height >= wanted.height else { return false }
        let shape = Double(width) / Double(height) / (Double(picture.width) / Double(picture.height))
        // Its sides are whole pixels: one may be off by one.
        return abs(shape - 1) <= 1.5 / Double(min(width, height))
    }
}
