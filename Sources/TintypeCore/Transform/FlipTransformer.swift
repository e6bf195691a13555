/// Mirrors a picture.
public struct FlipTransformer: ImageTransformer {
    /// Left becomes right.
    public var isHorizontal: Bool
    /// Top becomes bottom.
    public var isVertical: Bool

    public init(horizontal: Bool = false, vertical: Bool = false) {
        isHorizontal = horizontal
        isVertical = vertical
    }

    public var identifier: String {
        "flip(\(isHorizontal ? "h" : "")\(isVertical ? "v" : ""))"
    }

    /// - Throws: ``TintypeError/Code/outOfMemory``.
    public func transform(_ pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        try pixels.oriented(orientation)
    }

    /// The same as an orientation that a picture may be stored with.
    var orientation: Orientation {
        switch (isHorizontal, isVertical) {
        case (false, false): .up
        case (true, false): .upMirrored
        case (true, true): .down
        case (false, true): .downMirrored
        }
    }
}
