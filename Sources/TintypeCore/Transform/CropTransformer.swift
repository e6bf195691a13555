/// Cuts a part out of a picture.
public struct CropTransformer: ImageTransformer {
    /// Which part.
    public enum Part: Hashable, Sendable {
        /// What lies in this rectangle; what of it is outside of the picture is left out.
        case rect(PixelRect)
        /// At most so many pixels, at a side or corner, or where there is most to see.
        case size(PixelSize, Gravity)
    }

    public var part: Part

    public init(_ part: Part) {
        self.part = part
    }

    public init(to rect: PixelRect) {
        part = .rect(rect)
    }

    public init(to size: PixelSize, gravity: Gravity = .center) {
        part = .size(size, gravity)
    }

    public var identifier: String {
        switch part {
        case .rect(let rect): "crop(\(rect))"
        case .size(let size, let gravity): "crop(\(size),\(gravity.rawValue))"
        }
    }

    /// - Throws: ``TintypeError/Code/transformFailed`` when nothing would be left, ``TintypeError/Code/outOfMemory``.
    public func transform(_ pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        try pixels.cropped(to: dependsOnContent ? smartRect(in: pixels) : checkedRect(in: pixels.size))
    }

    /// Whether the part depends on what the picture shows, not on its size alone.
    var dependsOnContent: Bool {
        if case .size(let size, .smart) = part { size.isPositive } else { false }
    }

    /// The part of a picture of `bounds`, where that does not depend on what it shows.
    ///
    /// - Throws: ``TintypeError/Code/transformFailed`` when it is empty.
    func checkedRect(in bounds: PixelSize) throws(TintypeError) -> PixelRect {
        guard let rect = rect(in: bounds) else {
            throw .transformFailed("nothing of a picture of \(bounds) lies in \(identifier)")
        }
        return rect
    }

    private func rect(in bounds: PixelSize) -> PixelRect? {
        switch part {
        case .rect(let rect): rect.clipped(to: bounds)
        case .size(let size, let gravity):
            size.isPositive ? gravity.rect(bounds.clamped(to: size), in: bounds) : nil
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

/// Which part of a picture stays, or where on it another is put.
public enum Gravity: String, CaseIterable, Hashable, Sendable {
    case center
    case top
    case bottom
    case left
    case right
    case topLeft
    case topRight
    case bottomLeft
    case bottomRight
    /// Where there is most to see: see ``SmartCrop``. As a place for another picture, the middle.
    case smart

    /// The rectangle of `size` at this side or corner of a picture of `bounds`; may reach beyond it.
    func rect(_ size: PixelSize, in bounds: PixelSize) -> PixelRect {
        let (spareWidth, spareHeight) = (bounds.width - size.width, bounds.height - size.height)
        return PixelRect(x: offset(horizontal, of: spareWidth), y: offset(vertical, of: spareHeight), size: size)
    }

    /// In halves: 0 is the left, 2 the right.
    private var horizontal: Int {
        switch self {
        case .left, .topLeft, .bottomLeft: 0
        case .right, .topRight, .bottomRight: 2
        case .center, .top, .bottom, .smart: 1
        }
    }

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
