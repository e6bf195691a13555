import TintypeCore

extension GravityOption {
    /// Returns where a part lies in a whole, or an image on a canvas: its top left corner.
    ///
    /// - Parameters:
    ///   - inner: The size of the part.
    ///   - outer: The size of the whole.
    ///   - pixelRatio: The factor of offsets in pixels.
    ///   - overflows: Whether the part may lie partly outside. It always has a pixel inside.
    func position(
        of inner: PixelSize, in outer: PixelSize, pixelRatio: Double, overflows: Bool = false
    ) -> (x: Int, y: Int) {
        axes.position(of: inner, in: outer, pixelRatio: pixelRatio, overflows: overflows)
    }

    /// Returns an offset or a distance in pixels: from 1 on, it is in pixels of the display, below a share of a length.
    static func pixels(_ offset: Double, of length: Int, pixelRatio: Double) -> Int {
        abs(offset) >= 1 ? Int(roundingToEven: offset * pixelRatio) : length.scaledToEven(by: offset)
    }

    /// The gravity as two independent axes.
    var axes: GravityAxes {
        if placement == .focusPoint {
            return GravityAxes(
                horizontal: GravityAxis(anchor: .point, offset: x), vertical: GravityAxis(anchor: .point, offset: y))
        }
        return GravityAxes(
            horizontal: GravityAxis(
                anchor: placement.isWestern ? .start : placement.isEastern ? .end : .middle, offset: x),
            vertical: GravityAxis(
                anchor: placement.isNorthern ? .start : placement.isSouthern ? .end : .middle, offset: y))
    }
}

/// A gravity along one axis.
struct GravityAxis: Hashable, Sendable {
    enum Anchor: Hashable, Sendable {
        case start, middle, end
        /// The offset is the share at which the middle of the part lies.
        case point
    }

    var anchor: Anchor
    var offset: Double

    /// The same place, seen from the other end of the axis.
    var mirrored: GravityAxis {
        switch anchor {
        case .start: GravityAxis(anchor: .end, offset: offset)
        case .end: GravityAxis(anchor: .start, offset: offset)
        case .middle: GravityAxis(anchor: .middle, offset: -offset)
        case .point: GravityAxis(anchor: .point, offset: 1 - offset)
        }
    }

    func start(of inner: Int, in outer: Int, pixelRatio: Double, overflows: Bool) -> Int {
        let start = start(of: inner, in: outer, pixelRatio: pixelRatio)
        return overflows ? max(1 - inner, min(start, outer - 1)) : max(0, min(start, outer - inner))
    }

    private func start(of inner: Int, in outer: Int, pixelRatio: Double) -> Int {
        if anchor == .point { return outer.scaledToEven(by: offset) - inner / 2 }
        let offset = GravityOption.pixels(offset, of: outer, pixelRatio: pixelRatio)
        return switch anchor {
        case .start: offset
        case .end: outer - inner - offset
        // A remainder of one pixel is put before the part.
        case .middle, .point: (outer - inner + 1).scaledToEven(by: 0.5) + offset
        }
    }
}

/// A gravity as two independent axes.
struct GravityAxes: Hashable, Sendable {
    var horizontal: GravityAxis
    var vertical: GravityAxis

    /// Returns the same place in the stored pixels of an image that a turn makes upright.
    ///
    /// Turning the rectangle instead would put the remainder of a centred part on the other side.
    func stored(beneath turn: Turn) -> GravityAxes {
        var axes = self
        if turn.isMirrored { axes.horizontal = axes.horizontal.mirrored }
        for _ in 0..<turn.quarters {
            axes = GravityAxes(horizontal: axes.vertical, vertical: axes.horizontal.mirrored)
        }
        return axes
    }

    /// Returns the top left corner of a part.
    func position(
        of inner: PixelSize, in outer: PixelSize, pixelRatio: Double, overflows: Bool = false
    ) -> (x: Int, y: Int) {
        (
            horizontal.start(of: inner.width, in: outer.width, pixelRatio: pixelRatio, overflows: overflows),
            vertical.start(of: inner.height, in: outer.height, pixelRatio: pixelRatio, overflows: overflows)
        )
    }
}
