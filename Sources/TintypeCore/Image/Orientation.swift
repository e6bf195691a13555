/// How a stored image must be turned to appear upright: the values of Exif tag 0x0112 (Exif 2.32, 4.6.4).
public enum Orientation: Int, CaseIterable, Hashable, Sendable {
    /// Upright: the first stored row is the top row.
    case up = 1
    /// Mirrored left to right.
    case upMirrored
    /// Rotated by 180°.
    case down
    /// Mirrored top to bottom.
    case downMirrored
    /// Mirrored along the diagonal from the top left to the bottom right.
    case leftMirrored
    /// To be rotated by 90° clockwise.
    case right
    /// Mirrored along the diagonal from the top right to the bottom left.
    case rightMirrored
    /// To be rotated by 90° counter-clockwise.
    case left

    /// Whether turning the image upright swaps its width and height.
    package var swapsAxes: Bool { rawValue >= Orientation.leftMirrored.rawValue }

    /// Returns the displayed size of an image stored with `size`.
    ///
    /// The function is its own inverse: given a displayed size, it returns the stored size.
    package func displayed(_ size: PixelSize) -> PixelSize { swapsAxes ? size.swapped : size }

    /// Returns the part of the stored image that is displayed as `rect`.
    ///
    /// - Parameter size: The size of the displayed image in pixels.
    package func stored(_ rect: PixelRect, in size: PixelSize) -> PixelRect {
        let mirrored = PixelRect(
            x: mirrorsAcross ? size.width - rect.x - rect.size.width : rect.x,
            y: mirrorsDown ? size.height - rect.y - rect.size.height : rect.y, size: rect.size)
        return swapsAxes ? PixelRect(x: mirrored.y, y: mirrored.x, size: rect.size.swapped) : mirrored
    }

    /// Whether the first stored rows are displayed last: at the bottom or, if the axes are swapped, on the right.
    var beginsAtBottom: Bool { [.down, .downMirrored, .right, .rightMirrored].contains(self) }

    /// Whether the left edge of the displayed image is stored at the far end of its axis.
    private var mirrorsAcross: Bool { [.upMirrored, .down, .right, .rightMirrored].contains(self) }
    private var mirrorsDown: Bool { [.down, .downMirrored, .rightMirrored, .left].contains(self) }
}

extension Orientation {
    /// Creates the orientation that an ISO base media file describes: a rotation, then a mirroring
    /// (ISO/IEC 23008-12, 6.5.10 and 6.5.12).
    ///
    /// - Parameters:
    ///   - quarterTurns: The number of counter-clockwise rotations by 90°.
    ///   - mirror: 0 swaps top and bottom, 1 swaps left and right, `nil` does neither.
    package init(quarterTurns: Int, mirror: Int?) {
        let turned: [Orientation] = [.up, .left, .down, .right]
        let upsideDown: [Orientation] = [.downMirrored, .leftMirrored, .upMirrored, .rightMirrored]
        let sideways: [Orientation] = [.upMirrored, .rightMirrored, .downMirrored, .leftMirrored]
        let table = mirror.map { $0 == 0 ? upsideDown : sideways } ?? turned
        self = table[quarterTurns & 3]
    }
}
