/// A rectangle of whole pixels; the origin is the top left corner of the picture.
public struct PixelRect: Hashable, Sendable, CustomStringConvertible {
    /// Pixels to the left of it.
    public var x: Int
    /// Pixels above it.
    public var y: Int
    /// In pixels.
    public var size: PixelSize

    public init(x: Int, y: Int, size: PixelSize) {
        self.x = x
        self.y = y
        self.size = size
    }

    /// `"X,Y,W,H"`, the form that keys and the command use.
    public var description: String { "\(x),\(y),\(size.width),\(size.height)" }

    /// The rectangle of `size` in the middle of a picture of `bounds`; rounds towards the top left.
    public static func centered(_ size: PixelSize, in bounds: PixelSize) -> PixelRect {
        PixelRect(x: (bounds.width - size.width) / 2, y: (bounds.height - size.height) / 2, size: size)
    }

    /// The part that lies in a picture of `bounds`; `nil` when there is none.
    public func clipped(to bounds: PixelSize) -> PixelRect? {
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
