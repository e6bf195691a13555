/// Cuts the largest circle out of the middle of a picture.
public struct CircleTransformer: ImageTransformer {
    /// In pixels, inside the edge.
    public var borderWidth: Double
    public var borderColor: Color

    public init(borderWidth: Double = 0, borderColor: Color = .clear) {
        self.borderWidth = borderWidth
        self.borderColor = borderColor
    }

    public var identifier: String { "circle(\(borderWidth.canonical),\(borderColor))" }

    /// - Throws: ``TintypeError/Code/transformFailed`` for a border below 0 or that is no number,
    ///   ``TintypeError/Code/outOfMemory``.
    public func transform(_ pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        let side = min(pixels.size.width, pixels.size.height)
        let square = try pixels.cropped(to: .centered(PixelSize(width: side, height: side), in: pixels.size))
        return try RoundCornersTransformer(
            radius: .infinity, borderWidth: borderWidth, borderColor: borderColor
        ).transform(square)
    }
}
