/// A rectangle of whole pixels; the origin is the top left corner of the picture.
public struct PixelRect: Hashable, Sendable {
    public var x: Int
    public var y: Int
    public var size: PixelSize

    public init(x: Int, y: Int, size: PixelSize) {
        self.x = x
        self.y = y
        self.size = size
    }

    /// The rectangle of `size` in the middle of a picture of `bounds`; rounds towards the top left.
    public static func centered(_ size: PixelSize, in bounds: PixelSize) -> PixelRect {
        PixelRect(x: (bounds.width - size.width) / 2, y: (bounds.height - size.height) / 2, size: size)
    }
}
