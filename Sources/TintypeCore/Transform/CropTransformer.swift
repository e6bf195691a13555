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
        return try SmartCrop.rect(pixels.size.clamped(to: size), in: pixels)
    }
}

extension CropTransformer: ContentTransformer {
    func settled(on pixels: PixelBuffer) throws(TintypeError) -> any ImageTransformer {
        dependsOnContent ? CropTransformer(to: try smartRect(in: pixels)) : self
    }
}
