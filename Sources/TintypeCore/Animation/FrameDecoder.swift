/// Decodes the frames of one animated image, each independently, in any order.
///
/// Created by an ``AnimatedImageDecoder``, which has checked the limits. Used by one thread at a time.
public protocol FrameDecoder: AnyObject, Sendable {
    /// The size of the canvas on which the frames are painted, in pixels, before orientation.
    var canvasSize: PixelSize { get }
    /// The total number of plays; 0 means forever.
    var loopCount: Int { get }
    /// The frames as the file describes them; at least one.
    var frames: [AnimationFrame] { get }

    /// Decodes the pixels of one frame's rectangle, without the canvas under it.
    ///
    /// - Parameters:
    ///   - index: The frame, less than the number of ``frames``.
    ///   - isCancelled: Checked periodically; if it returns `true`, the decoder throws ``TintypeError/Code/cancelled``.
    /// - Returns: Pixels of the size of the frame's rectangle.
    /// - Throws: ``TintypeError/Code/undecodable``, ``TintypeError/Code/outOfMemory``, ``TintypeError/Code/cancelled``.
    func pixels(of index: Int, isCancelled: @escaping @Sendable () -> Bool) throws(TintypeError) -> PixelBuffer
}

/// One frame of an animation, as its file describes it.
public struct AnimationFrame: Hashable, Sendable {
    /// The part of the canvas that the frame paints, in pixels. It may reach beyond the canvas.
    package var rect: PixelRect
    /// The duration in seconds as stored in the file. See ``FrameDuration/played(_:)`` for how long it is shown.
    package var duration: Double
    /// How the frame's pixels are combined with the canvas.
    package var blend: Blend
    /// The disposal of the frame's rectangle before the next frame.
    package var disposal: Disposal
    /// Whether any pixel of the frame may be transparent.
    package var hasAlpha: Bool

    /// Creates a frame description.
    public init(
        rect: PixelRect, duration: Double, blend: Blend = .over, disposal: Disposal = .keep, hasAlpha: Bool = true
    ) {
        self.rect = rect
        self.duration = duration
        self.blend = blend
        self.disposal = disposal
        self.hasAlpha = hasAlpha
    }

    /// How a frame's pixels are combined with the canvas.
    public enum Blend: Hashable, Sendable {
        /// The frame's pixels replace those of the canvas, including transparency.
        case source
        /// The frame's pixels are composited over the canvas.
        case over
    }

    /// The treatment of a frame's rectangle before the next frame is painted.
    public enum Disposal: Hashable, Sendable {
        /// The rectangle stays as painted.
        case keep
        /// The rectangle becomes transparent, whatever background colour the file names. All browsers do this.
        case background
        /// The rectangle is restored to its contents before the frame was painted.
        case previous
    }
}

extension AnimationFrame {
    /// Whether the frame's rectangle contains the whole canvas.
    func covers(_ canvas: PixelSize) -> Bool {
        rect.x <= 0 && rect.y <= 0 && rect.x + rect.size.width >= canvas.width
            && rect.y + rect.size.height >= canvas.height
    }

    /// Whether the canvas is the same after this frame as after another one with the same pixels.
    func isPainted(like other: AnimationFrame) -> Bool {
        rect == other.rect && blend == other.blend && disposal == other.disposal && hasAlpha == other.hasAlpha
    }

    /// Whether nothing below the frame remains visible.
    func hides(_ canvas: PixelSize) -> Bool {
        covers(canvas) && (blend == .source || !hasAlpha)
    }
}

/// The rules for frame durations.
package enum FrameDuration {
    /// Returns how long a frame is shown, in seconds: the duration `stored` in the file, or 100 ms if that is less
    /// than 11 ms.
    ///
    /// WebKit, Gecko and SDWebImage use this rule: files with 0 or 10 ms were made for programs that could not play
    /// that fast. Negative values and NaN count as 0.
    package static func played(_ stored: Double) -> Double {
        stored >= least ? stored : replacement
    }

    private static let least = 0.011
    private static let replacement = 0.1

    /// Converts durations to whole ticks of an output format.
    ///
    /// The rounding error of a frame is carried over to the next one, so a long animation keeps its total duration.
    /// Errors from clamping to `bounds` are not carried over.
    ///
    /// - Parameters:
    ///   - seconds: The durations as played.
    ///   - perSecond: The number of ticks per second.
    ///   - bounds: The range of tick counts that the format can store and that viewers play as stored.
    /// - Returns: The number of ticks of each frame.
    package static func ticks(_ seconds: [Double], perSecond: Double, in bounds: ClosedRange<Int>) -> [Int] {
        var left = 0.0
        return seconds.map { duration in
            let wanted = min(duration * perSecond, Double(bounds.upperBound)) + left
            let rounded = wanted.rounded()
            left = wanted - rounded
            return min(max(Int(rounded), bounds.lowerBound), bounds.upperBound)
        }
    }
}
