/// One frame of an animation, as its file describes it.
public struct AnimationFrame: Hashable, Sendable {
    /// The part of the canvas that it paints. What lies beyond the canvas is not seen.
    public var rect: PixelRect
    /// Seconds, as stored; ``FrameDuration/played(_:)`` says how long it is shown.
    public var duration: Double
    /// How its pixels meet those of the canvas.
    public var blend: Blend
    /// What becomes of its rectangle before the next frame.
    public var disposal: Disposal
    /// Whether a pixel of it may be transparent.
    public var hasAlpha: Bool

    public init(
        rect: PixelRect, duration: Double, blend: Blend = .over, disposal: Disposal = .keep, hasAlpha: Bool = true
    ) {
        self.rect = rect
        self.duration = duration
        self.blend = blend
        self.disposal = disposal
        self.hasAlpha = hasAlpha
    }

    /// How its pixels meet those of the canvas.
    public enum Blend: Hashable, Sendable {
        /// They replace them, transparency included.
        case source
        /// They are laid over them.
        case over
    }

    /// What becomes of its rectangle before the next frame is painted.
    public enum Disposal: Hashable, Sendable {
        /// It stays.
        case keep
        /// It is made transparent: what every browser does, whatever background colour the file names.
        case background
        /// It is again what it was before the frame was painted.
        case previous
    }
}

extension AnimationFrame {
    /// Whether it paints every pixel of a canvas of this size.
    func covers(_ canvas: PixelSize) -> Bool {
        rect.x <= 0 && rect.y <= 0 && rect.x + rect.size.width >= canvas.width
            && rect.y + rect.size.height >= canvas.height
    }

    /// Whether nothing of what it is painted on can be seen.
    func hides(_ canvas: PixelSize) -> Bool {
        covers(canvas) && (blend == .source || !hasAlpha)
    }
}
