/// The frames of one animated picture, each decoded on its own, in any order.
///
/// Made by an ``AnimatedImageDecoder``, which has checked the limits. Used by one thread at a time.
public protocol FrameDecoder: AnyObject, Sendable {
    /// The size of the canvas that the frames are painted on, in pixels as stored.
    var canvasSize: PixelSize { get }
    /// The total number of plays; 0 is forever.
    var loopCount: Int { get }
    /// What the file says of each frame; at least one.
    var frames: [AnimationFrame] { get }

    /// Decodes the pixels of one frame's own rectangle; what was under them is not there.
    ///
    /// - Parameters:
    ///   - index: below the number of ``frames``.
    ///   - isCancelled: asked now and then; the decoder then throws ``TintypeError/Code/cancelled``.
    /// - Returns: pixels of the size of the frame's rectangle.
    /// - Throws: ``TintypeError/Code/undecodable``, ``TintypeError/Code/outOfMemory``,
    ///   ``TintypeError/Code/cancelled``.
    func pixels(of index: Int, isCancelled: @escaping @Sendable () -> Bool) throws(TintypeError) -> PixelBuffer
}

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

/// How long a frame is shown.
public enum FrameDuration {
    /// The seconds that a frame is shown whose file says `stored`: below 11 ms it is 100 ms.
    ///
    /// The rule of WebKit, Gecko and the original system: files that say 0 or 10 ms were made for programs that could
    /// not play that fast. What is no number, or below zero, counts as 0.
    public static func played(_ stored: Double) -> Double {
        stored >= least ? stored : replacement
    }

    private static let least = 0.011
    private static let replacement = 0.1

    /// Durations in whole ticks of the clock of a format to be written.
    ///
    /// What rounding takes from a frame is given to the next one, so that a long animation keeps its time. What is out of
    /// bounds is not made up for.
    ///
    /// - Parameters:
    ///   - seconds: as they are played.
    ///   - bounds: the ticks that the format can say, and that are played as they are.
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
