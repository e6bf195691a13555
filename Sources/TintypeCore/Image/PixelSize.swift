/// A width and a height in pixels.
public struct PixelSize: Hashable, Sendable, CustomStringConvertible {
    /// The horizontal number of pixels.
    public var width: Int
    /// The vertical number of pixels.
    public var height: Int

    /// Creates a size from a width and a height in pixels. Any value is accepted: see `isPositive`.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// `"WxH"`, the form used in cache keys and by the command.
    public var description: String { "\(width)x\(height)" }

    /// The number of pixels; `Int.max` instead of an overflow.
    package var area: Int {
        let (product, overflow) = width.multipliedReportingOverflow(by: height)
        return overflow ? .max : product
    }

    /// Whether both sides are at least one pixel.
    package var isPositive: Bool { width > 0 && height > 0 }

    /// The size with width and height exchanged.
    package var swapped: PixelSize { PixelSize(width: height, height: width) }
}

extension PixelSize {
    /// Returns the largest size of the same aspect ratio that fits into `box`: at least 1×1, never larger than `self`.
    ///
    /// A side of `box` that is zero or less sets no limit.
    public func fitted(into box: PixelSize) -> PixelSize {
        fitted(into: box, enlarging: false)
    }

    /// Returns the smallest size of the same aspect ratio that covers `box`, never larger than `self`.
    package func covering(_ box: PixelSize) -> PixelSize {
        covering(box, enlarging: false)
    }

    /// Like ``fitted(into:)``, but the result may be larger than `self` if `enlarging` is set.
    func fitted(into box: PixelSize, enlarging: Bool) -> PixelSize {
        scaled(by: limited(min(limit(width, box.width), limit(height, box.height)), enlarging))
    }

    /// Like ``covering(_:)``, but the result may be larger than `self` if `enlarging` is set.
    func covering(_ box: PixelSize, enlarging: Bool) -> PixelSize {
        scaled(by: limited(max(limit(width, box.width), limit(height, box.height)), enlarging))
    }

    private func limited(_ scale: Double, _ enlarging: Bool) -> Double {
        enlarging && scale.isFinite ? scale : min(scale, 1)
    }

    /// Returns this size times `scale`, rounded: at least 1×1, at most 2⁶² per side.
    public func scaled(by scale: Double) -> PixelSize {
        func side(_ length: Int) -> Int {
            // A comparison with NaN is false, so NaN becomes 1.
            let scaled = (Double(length) * scale).rounded()
            return scaled >= 1 ? Int(min(scaled, 0x1p62)) : 1
        }
        return PixelSize(width: side(width), height: side(height))
    }

    /// Returns this size with each side reduced to that of `box`. A side of `box` that is zero or less sets no limit.
    package func clamped(to box: PixelSize) -> PixelSize {
        PixelSize(
            width: box.width > 0 ? min(width, box.width) : width,
            height: box.height > 0 ? min(height, box.height) : height)
    }

    private func limit(_ side: Int, _ allowed: Int) -> Double {
        allowed > 0 && side > 0 ? Double(allowed) / Double(side) : .infinity
    }
}

/// A rectangle of whole pixels. The origin is the top left corner of the image.
public struct PixelRect: Hashable, Sendable, CustomStringConvertible {
    /// The number of pixels to the left of the rectangle.
    public var x: Int
    /// The number of pixels above the rectangle.
    public var y: Int
    /// The size in pixels.
    public var size: PixelSize

    /// Creates a rectangle from its top left corner and its size, in pixels.
    public init(x: Int, y: Int, size: PixelSize) {
        self.x = x
        self.y = y
        self.size = size
    }

    /// `"X,Y,W,H"`, the form used in cache keys and by the command.
    public var description: String { "\(x),\(y),\(size.width),\(size.height)" }

    /// Returns the rectangle of `size` in the centre of an image of size `bounds`, rounded towards the top left.
    package static func centered(_ size: PixelSize, in bounds: PixelSize) -> PixelRect {
        PixelRect(x: (bounds.width - size.width) / 2, y: (bounds.height - size.height) / 2, size: size)
    }

    /// Returns the part that lies inside an image of size `bounds`; `nil` if there is none.
    package func clipped(to bounds: PixelSize) -> PixelRect? {
        let (across, down) = (Self.clip(x, size.width, bounds.width), Self.clip(y, size.height, bounds.height))
        guard let across, let down else { return nil }
        return PixelRect(
            x: across.lowerBound, y: down.lowerBound, size: PixelSize(width: across.count, height: down.count))
    }

    private static func clip(_ start: Int, _ length: Int, _ limit: Int) -> Range<Int>? {
        let (sum, overflow) = start.addingReportingOverflow(length)
        let end = min(overflow ? .max : sum, limit)
        return length > 0 && max(start, 0) < end ? max(start, 0)..<end : nil
    }
}
