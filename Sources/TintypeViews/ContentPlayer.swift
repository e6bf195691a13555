public import TintypeCore

/// Turns the content of a display into the pixels to draw: those of a still image, or the frames of an animation as
/// they become due.
///
/// An animation that is still arriving does not restart when more of its frames are shown, nor when its load fails.
@MainActor public final class ContentPlayer {
    /// Called whenever new pixels must be drawn, with `nil` if there is nothing to draw.
    public var onPixels: (@MainActor (PixelBuffer?) -> Void)?
    /// The pixels to draw now.
    public private(set) var pixels: PixelBuffer?
    /// The image to draw now with more than 8 bits per channel and any brightness, of the size of ``pixels``; `nil` if
    /// there is none, and for animations. A toolkit whose surfaces show light above reference white, or more colours
    /// than sRGB, draws it instead of ``pixels``, which have the same image with its tones mapped.
    ///
    /// It is set before ``onPixels`` is called. Images have it if ``ImageDisplay/dynamicRange`` says that the display
    /// wants it.
    public private(set) var highRange: HighRangePixels?
    /// The player of the shown animation, for example to pause it; `nil` for a still image.
    public private(set) var player: AnimationPlayer?

    private let timer: any PlaybackTimer
    private let settings: PlaybackSettings
    private var shown: Image?

    /// Creates a player that shows nothing.
    ///
    /// - Parameters:
    ///   - timer: A timer for this player alone; by default one over the system's clock.
    ///   - settings: The settings of each animation.
    public init(timer: (any PlaybackTimer)? = nil, settings: PlaybackSettings = PlaybackSettings()) {
        self.timer = timer ?? SystemPlaybackTimer()
        self.settings = settings
    }

    /// Whether the view is visible. While it is hidden, the animation is paused and holds one frame.
    public var isVisible = true {
        didSet { player?.isVisible = isVisible }
    }

    /// Whether animations play. If not, the current frame stays, for users who prefer reduced motion.
    public var allowsMotion = true {
        didSet {
            guard allowsMotion != oldValue else { return }
            if allowsMotion { player?.play() } else { player?.pause() }
        }
    }

    /// Shows content. If its image is already shown, the image stays and its animation continues.
    public func show(_ content: ImageContent) {
        defer { if case .failure = content { player?.endGrowth() } }
        guard content.image !== shown || shown == nil else { return }
        shown = content.image
        highRange = shown?.isAnimated == false ? shown?.highRange : nil
        guard let animation = shown?.animation else {
            player = nil
            timer.cancel()
            return draw(shown?.pixels)
        }
        guard let player, animation.isContinuation(of: player.animation) else { return play(animation) }
        player.replace(with: animation)
        draw(player.shownPixels)
    }

    private func play(_ animation: AnimatedImage) {
        let player = AnimationPlayer(animation, timer: timer, settings: settings)
        self.player = player
        player.onFrame = { [weak self] _, pixels in self?.draw(pixels) }
        player.isVisible = isVisible
        draw(animation.poster)
        if allowsMotion { player.play() }
    }

    private func draw(_ pixels: PixelBuffer?) {
        if let pixels, let shown = self.pixels, pixels.isIdentical(to: shown) { return }
        if pixels == nil, self.pixels == nil { return }
        self.pixels = pixels
        onPixels?(pixels)
    }
}
