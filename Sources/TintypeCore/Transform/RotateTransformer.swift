import CTintypeKernels

/// Turns a picture counter-clockwise. Quarter turns lose nothing; others mix neighbours linearly.
public struct RotateTransformer: ImageTransformer {
    public var degrees: Double
    /// Whether the picture grows so that all of it stays; otherwise it keeps its size, and what leaves it is cut off.
    public var isFitting: Bool

    public init(degrees: Double, isFitting: Bool = true) {
        self.degrees = degrees
        self.isFitting = isFitting
    }

    public var identifier: String {
        "rotate(\(turn.canonical)\(isFitting ? "" : ",keep"))"
    }

    /// Without whole turns: from -180, which is left out, to 180.
    private var turn: Double {
        let rest = degrees.isFinite ? degrees.remainder(dividingBy: 360) : degrees
        return rest == -180 ? 180 : rest
    }

    /// What the turned picture does not cover is transparent.
    ///
    /// - Throws: ``TintypeError/Code/transformFailed`` for an angle that is no number,
    ///   ``TintypeError/Code/limitExceeded``, ``TintypeError/Code/outOfMemory``.
    public func transform(_ pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        let turn = try turn.checkedForTransform("angle")
        if let orientation = quarterTurn(turn, of: pixels.size) { return try pixels.oriented(orientation) }
        let rotation = Rotation(degrees: turn, of: pixels.size, isFitting: isFitting)
        _ = try rotation.size.checkedForTransform()
        return try pixels.copied(to: rotation.size) { source, target, stride throws(TintypeError) in
            try Strips(of: rotation.size.height, bytesPerRow: stride).forEach { rows in
                for y in rows {
                    let start = rotation.source(ofRow: y)
                    tintype_kernels_current().pointee.sample(
                        source, pixels.bytesPerRow, pixels.size.width, pixels.size.height, target + y * stride,
                        rotation.size.width, start.x, start.y, rotation.step.x, rotation.step.y)
                }
            }
        }
    }

    /// The orientation that does the same, where one does: a picture that keeps its size is turned by a quarter only
    /// if it is square.
    private func quarterTurn(_ turn: Double, of size: PixelSize) -> Orientation? {
        switch turn {
        case 0: .up
        case 180: .down
        case 90 where isFitting || size.width == size.height: .left
        case -90 where isFitting || size.width == size.height: .right
        default: nil
        }
    }
}
