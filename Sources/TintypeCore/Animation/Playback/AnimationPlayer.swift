/// Plays one animation for one view.
///
/// The player calls ``onFrame`` when a frame is due. Late frames are skipped unless ``PlaybackSettings/lateness`` is
/// `.wait`. Players of the same animation share its decoded frames. A player that is not playing, or whose view is
/// hidden, sets no timer. A player that is stopped, ended or hidden holds only the frame being shown.
@MainActor public final class AnimationPlayer {
    /// Called with each frame to show.
    public var onFrame: (@MainActor (_ index: Int, _ pixels: PixelBuffer) -> Void)?
    /// Called with the number of finished loops whenever it grows. After a long sleep it may grow by more than one.
    public var onLoop: (@MainActor (_ finished: Int) -> Void)?
    /// Called when the last loop has been shown to its end.
    public var onEnd: (@MainActor () -> Void)?

    /// The animation being played. It grows while it arrives.
    public private(set) var animation: AnimatedImage
    /// The pixels of the frame being shown.
    public private(set) var shownPixels: PixelBuffer
    /// The index of the frame being shown.
    package private(set) var shownFrame = 0
    /// The reason why the last frame that was due could not be made; `nil` if it could.
    public private(set) var failure: TintypeError?

    private let timer: any PlaybackTimer
    private var state: PlayerState
    private var subscription: FrameSubscription?
    /// Fulfilled when the due frame is shown; `nil` while no caller waits for it.
    private var frameShown: SharedPromise<Void>?

    /// Creates a stopped player.
    ///
    /// - Parameters:
    ///   - animation: The animation to play.
    ///   - timer: A timer for this player alone, such as a frame clock; by default one over the system's monotonic
    ///     clock.
    ///   - settings: The playback settings.
    public init(
        _ animation: AnimatedImage, timer: (any PlaybackTimer)? = nil,
        settings: PlaybackSettings = PlaybackSettings()
    ) {
        self.animation = animation
        self.timer = timer ?? SystemPlaybackTimer()
        shownPixels = animation.poster
        state = PlayerState(animation, settings: settings)
    }

    /// Whether the player is playing, paused, stopped or ended.
    public var status: PlaybackStatus { state.status }

    /// Whether a frame is due that is not available yet.
    var isAwaitingFrame: Bool { state.isDue && state.wantsFrames }

    /// The index of the frame that is due. While that frame is being decoded, `shownFrame` is still the previous one.
    public var currentFrame: Int { state.clock.frame }

    /// The number of loops shown to their end.
    public var finishedLoops: Int { state.clock.finishedLoops }

    /// The playback settings. Changes apply at once; the current frame stays.
    public var settings: PlaybackSettings {
        get { state.settings }
        set {
            // The budget is part of the subscription.
            if newValue.budget != state.settings.budget { subscription = nil }
            change { $0.set(newValue) }
        }
    }

    /// Whether the view is visible. Time stops while it is not.
    public var isVisible: Bool {
        get { state.isVisible }
        set { change { $0.setVisible(newValue) } }
    }

    // MARK: Playing

    /// Plays from the current position; after the end, from the beginning.
    public func play() { change { $0.play() } }

    /// Pauses playback. The following frames are held, so that playback resumes at once.
    public func pause() { change { $0.pause() } }

    /// Stops playback and releases all frames except the one being shown.
    public func stop() { change { $0.stop() } }

    /// Moves to the beginning, with no loop finished.
    public func reset() { change { $0.rewind() } }

    /// Moves to a frame and shows it, even if the player is not playing.
    ///
    /// - Parameters:
    ///   - frame: The frame, from 0.
    ///   - finishedLoops: The number of loops that count as finished; unchanged by default.
    /// - Throws: ``TintypeError/Code/noSuchFrame``.
    public func seek(to frame: Int, finishedLoops: Int? = nil) throws(TintypeError) {
        guard 0..<animation.frameCount ~= frame else {
            throw TintypeError(
                .noSuchFrame, stage: .decode,
                "there is no frame \(frame): the frames are numbered from 0 to \(animation.frameCount - 1)")
        }
        change { $0.seek(to: frame, finishedLoops: finishedLoops ?? $0.clock.finishedLoops) }
    }

    // MARK: Replacing the animation

    /// Plays another animation.
    ///
    /// If it is the same image with more frames, playback continues at the current position: pass the previews of a
    /// load, then the complete image, one after the other. Otherwise it starts from the beginning.
    public func replace(with next: AnimatedImage) {
        guard next !== animation else { return }
        let (isContinuation, formerPool, formerSubscription) = (
            next.isContinuation(of: animation), animation.pool, subscription
        )
        animation = next
        if next.pool !== formerPool {
            subscription = nil
            if isContinuation && formerSubscription != nil { subscribe().pool.adopt(formerPool) }
        }
        // The former subscription lives until here: a pool without players releases its frames.
        withExtendedLifetime(formerSubscription) {}
        if isContinuation {
            change { $0.grow(next.durations, loopCount: next.loopCount, isComplete: next.isComplete) }
        } else {
            restart()
        }
    }

    /// Treats the frames that have arrived as the complete animation. Call this when the rest of the image will not
    /// arrive.
    package func endGrowth() {
        change { [animation] in $0.grow(animation.durations, loopCount: animation.loopCount, isComplete: true) }
    }

    private func restart() {
        let old = state
        state = PlayerState(animation, settings: old.settings)
        state.setVisible(old.isVisible)
        present(0, animation.poster)
        change { if old.status == .playing { $0.play() } }
    }

    // MARK: Applying the state

    /// Advances to now, applies a change, and performs what follows from it.
    private func change(_ body: (inout PlayerState) -> Void = { _ in }) {
        let now = timer.now
        var loops = state.advance(to: now)
        var isEnd = loops > 0 && state.status == .ended
        body(&state)
        state.updateClock(at: now)
        // Frames that have arrived may let playback continue from where it waited.
        let moreLoops = state.advance(to: now)
        loops += moreLoops
        if moreLoops > 0 { isEnd = state.status == .ended }
        showDueFrame()
        // The callbacks come last, since they may change everything again.
        setTimer()
        if !isAwaitingFrame {
            frameShown?.fulfill(())
            frameShown = nil
        }
        if loops > 0 { onLoop?(state.clock.finishedLoops) }
        if isEnd { onEnd?() }
    }

    /// Shows the frame that is due if it is available, and ends the subscription if no frames are needed.
    private func showDueFrame() {
        if state.wantsFrames {
            let result = subscribe().move(to: state.clock.cursor, isLate: state.isLate)
            if let result, state.isDue { show(result) }
        }
        if !state.wantsFrames { subscription = nil }
    }

    private func show(_ result: Result<PixelBuffer, TintypeError>) {
        switch result {
        case .success(let pixels): present(state.clock.frame, pixels)
        case .failure(let error):
            state.skipFrame()
            failure = error
        }
    }

    private func subscribe() -> FrameSubscription {
        if let subscription { return subscription }
        let newSubscription = animation.pool.subscribe(budget: state.settings.budget) { [weak self] index, pixels in
            Task { @MainActor in self?.receive(index, pixels) }
        }
        subscription = newSubscription
        return newSubscription
    }

    private func present(_ index: Int, _ pixels: PixelBuffer) {
        state.show(index)
        failure = nil
        (shownFrame, shownPixels) = (index, pixels)
        onFrame?(index, pixels)
    }

    /// Handles a frame that was made while one was due.
    private func receive(_ index: Int, _ pixels: PixelBuffer?) {
        guard subscription != nil, state.isDue else { return }
        change()
        if state.isDue, let pixels, state.isWorthShowing(index) { present(index, pixels) }
    }

    private func setTimer() {
        if let time = state.nextChange {
            timer.set(for: time) { [weak self] in self?.change() }
        } else {
            timer.cancel()
        }
    }
}

extension PlayerState {
    init(_ animation: AnimatedImage, settings: PlaybackSettings) {
        self.init(
            animation.durations, loopCount: animation.loopCount, isComplete: animation.isComplete, settings: settings)
    }
}

extension AnimationPlayer {
    /// Returns the current frame once it is shown, for programs without a view.
    ///
    /// - Returns: The current frame; if the player is hidden or holds no frames, the frame being shown.
    /// - Throws: The reason why the frame cannot be made; ``TintypeError/Code/cancelled``.
    package func currentPixels() async throws(TintypeError) -> PixelBuffer {
        if isAwaitingFrame { await nextFrame() }
        if Task.isCancelled { throw .cancelled }
        if let failure { throw failure }
        return shownPixels
    }

    /// Waits until the due frame is shown, or the current task is cancelled.
    private func nextFrame() async {
        let shown = frameShown ?? SharedPromise()
        frameShown = shown
        await shown.wait()
    }
}
