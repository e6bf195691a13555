/// Crops an image.
public struct CropTransformer: BuiltInTransformer {
    /// The part of an image that is kept.
    package enum Part: Hashable, Sendable {
        /// The pixels in this rectangle. Parts of it outside the image are ignored.
        case rect(PixelRect)
        /// A rectangle of at most this size, at a side, at a corner, or where there is most detail.
        case size(PixelSize, Gravity)
        /// A rectangle of at most this size, with this point as near to its centre as possible.
        case focus(PixelSize, FocalPoint)
    }

    /// The part that is kept.
    package var part: Part

    /// Creates a transformer that keeps `part`.
    package init(_ part: Part) {
        self.part = part
    }

    /// Creates a transformer that keeps the pixels in `rect`.
    public init(to rect: PixelRect) {
        part = .rect(rect)
    }

    /// Creates a transformer that keeps at most `size`, placed by `gravity`.
    public init(to size: PixelSize, gravity: Gravity = .center) {
        part = .size(size, gravity)
    }

    /// Creates a transformer that keeps at most `size`, with `point` as near to the centre as possible.
    public init(to size: PixelSize, around point: FocalPoint) {
        part = .focus(size, point)
    }

    /// The kind of the transformer and the part.
    package var name: String {
        switch part {
        case .rect(let rect): "crop(\(rect))"
        case .size(let size, let gravity): "crop(\(size),\(gravity.rawValue))"
        case .focus(let size, let point): "crop(\(size),\(point.identifier))"
        }
    }

    /// Whether the part depends only on the size of the image.
    package var appliesToPreviews: Bool { !dependsOnContent }

    /// Returns the cropped image.
    ///
    /// - Throws: ``TintypeError/Code/transformFailed`` if no pixel would be left, ``TintypeError/Code/outOfMemory``.
    package func apply(to pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        try pixels.cropped(to: rect(in: pixels))
    }

    /// Returns the part of an image that is kept.
    ///
    /// - Throws: ``TintypeError/Code/transformFailed`` if no pixel would be left.
    func rect(in pixels: PixelBuffer) throws(TintypeError) -> PixelRect {
        dependsOnContent ? try smartRect(in: pixels) : try checkedRect(in: pixels.size)
    }

    /// Whether the part depends on what the image shows, not only on its size.
    var dependsOnContent: Bool {
        if case .size(let size, .smart) = part { size.isPositive } else { false }
    }

    /// Returns the part of an image of size `bounds`. Smart gravity is treated as centre.
    ///
    /// - Throws: ``TintypeError/Code/transformFailed`` if the part is empty.
    func checkedRect(in bounds: PixelSize) throws(TintypeError) -> PixelRect {
        guard let rect = rect(in: bounds) else {
            throw .transformFailed("\(identifier) contains no pixel of a \(bounds) image")
        }
        return rect
    }

    private func rect(in bounds: PixelSize) -> PixelRect? {
        switch part {
        case .rect(let rect): rect.clipped(to: bounds)
        case .size(let size, let gravity):
            size.isPositive ? gravity.rect(bounds.clamped(to: size), in: bounds) : nil
        case .focus(let size, let point):
            size.isPositive ? point.rect(bounds.clamped(to: size), in: bounds) : nil
        }
    }

    private func smartRect(in pixels: PixelBuffer) throws(TintypeError) -> PixelRect {
        guard case .size(let size, _) = part else { return try checkedRect(in: pixels.size) }
        return try SmartCrop.rect(of: pixels.size.clamped(to: size), in: pixels)
    }
}

extension CropTransformer: ContentTransformer {
    func resolved(for pixels: PixelBuffer) throws(TintypeError) -> any ImageTransformer {
        dependsOnContent ? CropTransformer(to: try smartRect(in: pixels)) : self
    }
}

/// The point of an image that matters most, such as a face, as fractions of its width and height.
public struct FocalPoint: Hashable, Sendable {
    // Constants, because `rect(_:in:)` relies on what the initializer makes of them.
    /// The horizontal position: 0 is the left edge, 1 the right edge.
    package let x: Double
    /// The vertical position: 0 is the top edge, 1 the bottom edge.
    package let y: Double

    /// Creates a point. Coordinates outside of 0 to 1 count as the nearest edge, and one that is not a number as the
    /// middle.
    public init(x: Double, y: Double) {
        self.x = x.isNaN ? 0.5 : min(max(x, 0), 1)
        self.y = y.isNaN ? 0.5 : min(max(y, 0), 1)
    }

    /// Both coordinates, as they are in identifiers.
    package var identifier: String { "focus(\(x.canonical),\(y.canonical))" }

    /// Returns a rectangle of `size` within an image of size `bounds`, with this point as near to its centre as
    /// possible.
    func rect(_ size: PixelSize, in bounds: PixelSize) -> PixelRect {
        func offset(_ fraction: Double, _ length: Int, in whole: Int) -> Int {
            let wanted = (fraction * Double(whole) - Double(length) / 2).rounded()
            return min(max(Int(wanted), 0), whole - length)
        }
        return PixelRect(
            x: offset(x, size.width, in: bounds.width), y: offset(y, size.height, in: bounds.height), size: size)
    }
}

/// Which part of an image a crop keeps, or where an overlay is placed.
public enum Gravity: String, CaseIterable, Hashable, Sendable {
    /// The centre.
    case center
    /// The middle of the top edge.
    case top
    /// The middle of the bottom edge.
    case bottom
    /// The middle of the left edge.
    case left
    /// The middle of the right edge.
    case right
    /// The top left corner.
    case topLeft
    /// The top right corner.
    case topRight
    /// The bottom left corner.
    case bottomLeft
    /// The bottom right corner.
    case bottomRight
    /// The region with the most detail. For an overlay, the centre.
    case smart

    /// Returns a rectangle of `size` at this side or corner of an image of size `bounds`. It may reach beyond the
    /// image.
    func rect(_ size: PixelSize, in bounds: PixelSize) -> PixelRect {
        let (spareWidth, spareHeight) = (bounds.width - size.width, bounds.height - size.height)
        return PixelRect(x: offset(horizontal, of: spareWidth), y: offset(vertical, of: spareHeight), size: size)
    }

    /// The horizontal position in halves of the spare width: 0 is left, 1 the middle, 2 right.
    private var horizontal: Int {
        switch self {
        case .left, .topLeft, .bottomLeft: 0
        case .right, .topRight, .bottomRight: 2
        case .center, .top, .bottom, .smart: 1
        }
    }

    /// The vertical position in halves of the spare height: 0 is top, 1 the middle, 2 bottom.
    private var vertical: Int {
        switch self {
        case .top, .topLeft, .topRight: 0
        case .bottom, .bottomLeft, .bottomRight: 2
        case .center, .left, .right, .smart: 1
        }
    }

    private func offset(_ halves: Int, of spare: Int) -> Int {
        halves == 1 ? spare / 2 : halves == 0 ? 0 : spare
    }
}
