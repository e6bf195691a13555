/// How a stored picture has to be turned to be seen upright: the values of the Exif tag 0x0112 (Exif 2.32, 4.6.4).
public enum Orientation: Int, CaseIterable, Hashable, Sendable {
    case up = 1
    case upMirrored
    case down
    case downMirrored
    case leftMirrored
    case right
    case rightMirrored
    case left

    /// Whether showing the picture upright exchanges its width and its height.
    public var swapsAxes: Bool { rawValue >= Orientation.leftMirrored.rawValue }

    /// The size at which a picture that is stored with `size` is displayed; and the way back.
    public func displayed(_ size: PixelSize) -> PixelSize { swapsAxes ? size.swapped : size }

    /// The part of the stored picture that is displayed as `rect` of a picture of `size`.
    public func stored(_ rect: PixelRect, in size: PixelSize) -> PixelRect {
        let mirrored = PixelRect(
            x: mirrorsAcross ? size.width - rect.x - rect.size.width : rect.x,
            y: mirrorsDown ? size.height - rect.y - rect.size.height : rect.y, size: rect.size)
        return swapsAxes ? PixelRect(x: mirrored.y, y: mirrored.x, size: rect.size.swapped) : mirrored
    }

    /// Whether the rows that are stored first are displayed last: at the bottom, or on the right.
    var beginsAtBottom: Bool { [.down, .downMirrored, .right, .rightMirrored].contains(self) }

    /// Whether what is displayed on the left is stored at a far end.
    private var mirrorsAcross: Bool { [.upMirrored, .down, .right, .rightMirrored].contains(self) }
    private var mirrorsDown: Bool { [.down, .downMirrored, .rightMirrored, .left].contains(self) }
}
