/// Plays one animation for one view.
///
/// It shows frames when their time comes, by way of ``onFrame``, and skips what is late unless it is told to wait.
/// Players of the same animation share its ``FramePool``. A player that stands, or whose view cannot be seen, sets no
/// timer; one that is stopped, has ended or is hidden holds no frames but the one that it shows.
@MainActor public final class AnimationPlayer {
    /// Told of each frame to show.
    public var onFrame: (@MainActor (_ index: Int, _ pixels: PixelBuffer) -> Void)?
    /// Told how many loops have been shown to their end, whenever that grows; by more than one after a long sleep.
    public var onLoop: (@MainActor (_ finished: Int) -> Void)?
    /// Told when the last loop has been shown to its end.
    public var onEnd: (@MainActor () -> Void)?

    /// What is played; it grows while it arrives.
    public private(set) var animation: AnimatedImage
    /// The frame that is shown, and its number.
    public private(set) var shownPixels: PixelBuffer
    /// The index of the frame that is shown.
    public private(set) var shownFrame = 0
    /// Why the last frame that was due could not be made, if it could not.
    public private(set) var failure: TintypeError?

    private let timer: any PlaybackTimer
    private var state: PlayerState
    private var subscription: FrameSubscription?
    var waiters = FrameWaiters()

    /// - Parameter timer: for this player alone.
    public init(
        _ animation: AnimatedImage, timer: any PlaybackTimer = SystemPlaybackTimer(),
        settings: PlaybackSettings = PlaybackSettings()
    ) {
        self.animation = animation
        self.timer = timer
        shownPixels = animation.poster
        state = PlayerState(animation, settings: settings)
    }

    /// Whether it plays, stands, waits or has ended.
    public var status: PlaybackStatus { state.status }

    /// Whether a frame is due that is not there yet.
    var isAwaitingFrame: Bool { state.isDue && state.wantsFrames }

    /// The frame whose turn it is; ``shownFrame`` is behind it while it is not decoded.
    public var currentFrame: Int { state.clock.frame }

    /// How many loops have been shown to their end.
    public var finishedLoops: Int { state.clock.finishedLoops }

    /// How it is played. Changes apply at once; the frame whose turn it is stays.
    public var settings: PlaybackSettings {
        get { state.settings }
        set {
            // The seat was taken with a budget.
            if newValue.budget != state.settings.budget { subscription = nil }
            change { $0.set(newValue) }
        }
    }

    /// Whether its view can be seen. While it cannot, time stands.
    public var isVisible: Bool {
        get { state.isVisible }
        set { change { $0.setVisible(newValue) } }
    }

    // MARK: Playing

    /// Goes on from where it is; after the end, from the beginning.
    public func play() { change { $0.play() } }

    /// Lets time stand. The frames that come next are held, so that it goes on at once.
    public func pause() { change { $0.pause() } }

    /// Lets time stand and all frames go, but for the one that is shown.
    public func stop() { change { $0.stop() } }

    /// Goes back to where it begins, no loop finished.
    public func reset() { change { $0.rewind() } }

    /// Goes to a frame, and shows it even while it does not play.
    ///
    /// - Parameter finishedLoops: how many loops count as shown; as many as now by default.
    /// - Throws: ``TintypeError/Code/noSuchFrame``.
    public func seek(to frame: Int, finishedLoops: Int? = nil) throws(TintypeError) {
        guard 0..<animation.frameCount ~= frame else {
            throw TintypeError(
                .noSuchFrame, stage: .decode, "there is no frame \(frame), the animation has \(animation.frameCount)")
        }
        change { $0.seek(to: frame, finishedLoops: finishedLoops ?? $0.clock.finishedLoops) }
    }

    // MARK: Other frames

    /// Plays another animation from its beginning; or goes on where it is, if this one is the same with more frames: while
    /// a picture is loaded, its previews and then the whole are given here one after the other.
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
        // Until here, since a pool that no one plays holds nothing.
        withExtendedLifetime(formerSubscription) {}
        if isContinuation {
            change { $0.grow(next.durations, loopCount: next.loopCount, isComplete: next.isComplete) }
        } else {
            restart()
        }
    }

    /// The rest of a picture that was arriving will not come: what is there is played as if it were all.
    public func endGrowth() {
        change { [animation] in $0.grow(animation.durations, loopCount: animation.loopCount, isComplete: true) }
    }

    private func restart() {
        let old = state
        state = PlayerState(animation, settings: old.settings)
        state.setVisible(old.isVisible)
        present(0, animation.poster)
        change { if old.status == .playing { $0.play() } }
    }

    // MARK: Doing what the state says

    /// Counts the time until now as things were, changes them, and does what follows.
    private func change(_ body: (inout PlayerState) -> Void = { _ in }) {
        let now = timer.now
        var loops = state.advance(to: now)
        var isEnd = loops > 0 && state.status == .ended
        body(&state)
        state.updateClock(at: now)
        // Frames that have come may let it go on from where it waited.
        let moreLoops = state.advance(to: now)
        loops += moreLoops
        if moreLoops > 0 { isEnd = state.status == .ended }
        showDueFrame()
        // Last, since those who are told may change everything again.
        setTimer()
        if !isAwaitingFrame { for waiter in waiters.takeAll() { waiter.resume() } }
        if loops > 0 { onLoop?(state.clock.finishedLoops) }
        if isEnd { onEnd?() }
    }

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

    /// A frame was made while one was due.
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
    /// The frame whose turn it is, once it is shown: for where there is no view, and for what has to be sure of it.
    ///
    /// - Returns: what is shown, if the player is hidden or holds no frames.
    /// - Throws: why the frame cannot be made; ``TintypeError/Code/cancelled``.
    public func currentPixels() async throws(TintypeError) -> PixelBuffer {
        if isAwaitingFrame { await nextFrame() }
        if Task.isCancelled { throw .cancelled }
        if let failure { throw failure }
        return shownPixels
    }

    private func nextFrame() async {
        let number = waiters.add()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Who has given up before this is not woken any more.
                if Task.isCancelled { continuation.resume() } else { waiters.keep(continuation, number) }
            }
        } onCancel: {
            Task { @MainActor in self.waiters.take(number)?.resume() }
        }
    }
}

/// Those who wait for a player to show what is due.
struct FrameWaiters {
    private var last = 0
    private var continuations: [Int: CheckedContinuation<Void, Never>] = [:]

    var isEmpty: Bool { continuations.isEmpty }

    mutating func add() -> Int {
        last += 1
        return last
    }

    mutating func keep(_ continuation: CheckedContinuation<Void, Never>, _ number: Int) {
        continuations[number] = continuation
    }

    mutating func take(_ number: Int) -> CheckedContinuation<Void, Never>? {
        continuations.removeValue(forKey: number)
    }

    mutating func takeAll() -> [CheckedContinuation<Void, Never>] {
        defer { continuations = [:] }
        return Array(continuations.values)
    }
}
