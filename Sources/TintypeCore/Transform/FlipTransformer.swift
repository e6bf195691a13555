/// Mirrors a picture.
public struct FlipTransformer: ImageTransformer, Hashable {
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

    /// This and another after it.
    func then(_ other: FlipTransformer) -> FlipTransformer {
        FlipTransformer(
            horizontal: isHorizontal != other.isHorizontal, vertical: isVertical != other.isVertical)
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
