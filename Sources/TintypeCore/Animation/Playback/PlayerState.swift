/// The state of a player: whether time runs, which frame is needed, and when something changes next.
///
/// A value type without locks.
struct PlayerState: Sendable {
    /// The position in the animation.
    private(set) var clock: PlaybackClock
    /// The playback settings.
    private(set) var settings: PlaybackSettings
    /// Whether the player is playing, paused, stopped or ended.
    private(set) var status = PlaybackStatus.stopped
    /// Whether the view is visible.
    private(set) var isVisible = true
    /// The step shown last, and its frame.
    private(set) var shown: (step: Int, frame: Int) = (0, 0)
    /// Whether the current frame still has to be shown.
    private(set) var isDue = false
    /// The loop count of the file.
    private var storedLoopCount: Int

    /// Creates the state of a stopped player at the first frame, which is shown.
    init(_ durations: [Double], loopCount: Int, isComplete: Bool, settings: PlaybackSettings) {
        self.settings = settings
        storedLoopCount = loopCount
        clock = PlaybackClock(
            PlaybackTimeline(durations, mode: settings.mode, isComplete: isComplete),
            loopCount: settings.loopCount ?? loopCount, lateness: settings.lateness)
        clock.set(rate: settings.rate)
    }

    /// Whether frames are needed: while the view is visible, and the player is playing or paused or a due frame has not
    /// been shown.
    var wantsFrames: Bool { isVisible && (status == .playing || status == .paused || isDue) }

    /// The time of the next change; `nil` if nothing changes by itself.
    var nextChange: Duration? {
        settings.lateness == .wait && isDue ? nil : clock.nextChange
    }

    // MARK: Events

    /// Advances to `now` and returns the number of loops that ended.
    mutating func advance(to now: Duration) -> Int {
        let (step, finished) = (clock.step, clock.finishedLoops)
        let loops = clock.advance(to: now, isShown: !isDue)
        if clock.isEnded && status == .playing { status = .ended }
        if clock.step != step || clock.finishedLoops != finished && !clock.isEnded { isDue = true }
        return loops
    }

    /// Notes that a frame was shown.
    mutating func show(_ frame: Int) {
        if frame == clock.frame {
            shown = (clock.step, frame)
            isDue = false
        } else {
            shown = (clock.timeline.order.step(of: frame), frame)
        }
    }

    /// Counts the current frame as shown because it cannot be made.
    mutating func skipFrame() {
        isDue = false
    }

    /// Whether frames before the current one are newer than the frame shown.
    var isLate: Bool { isDue && shown.step != clock.step }

    /// Whether a late frame is newer than the frame shown.
    func isWorthShowing(_ frame: Int) -> Bool {
        clock.timeline.order.shows(frame, after: shown.step, before: clock.step)
    }

    /// Starts playing; after the end, from the beginning.
    mutating func play() {
        if status == .ended || clock.isEnded { clock.rewind() }
        if status == .stopped || status == .ended { isDue = true }
        status = .playing
    }

    /// Pauses if it is playing.
    mutating func pause() {
        if status == .playing { status = .paused }
    }

    /// Stops, and rewinds if the settings say so.
    mutating func stop() {
        status = .stopped
        isDue = false
        if settings.rewindsWhenStopped { rewind() }
    }

    /// Moves to the beginning, with no loop finished.
    mutating func rewind() {
        clock.rewind()
        noteSeek()
    }

    /// Moves to a frame.
    mutating func seek(to frame: Int, finishedLoops: Int) {
        clock.seek(to: frame, finishedLoops: finishedLoops)
        noteSeek()
    }

    private mutating func noteSeek() {
        isDue = true
        // The frames in between are not late; they are not wanted.
        shown.step = clock.step
        if status == .ended { status = .paused }
    }

    /// Sets whether the view is visible.
    mutating func setVisible(_ isVisible: Bool) {
        self.isVisible = isVisible
    }

    /// Replaces the settings.
    mutating func set(_ settings: PlaybackSettings) {
        self.settings = settings
        clock.set(rate: settings.rate)
        clock.lateness = settings.lateness
        clock.loopCount = settings.loopCount ?? storedLoopCount
        if settings.mode != clock.timeline.mode { change(to: clock.timeline.with(mode: settings.mode)) }
    }

    /// Adds frames that have arrived, or notes that no more will come.
    mutating func grow(_ durations: [Double], loopCount: Int, isComplete: Bool) {
        storedLoopCount = loopCount
        clock.loopCount = settings.loopCount ?? loopCount
        change(to: PlaybackTimeline(durations, mode: settings.mode, isComplete: isComplete))
    }

    private mutating func change(to timeline: PlaybackTimeline) {
        let frame = clock.frame
        clock.change(to: timeline)
        if clock.frame != frame { isDue = true }
        shown.step = timeline.order.step(of: min(shown.frame, timeline.order.frameCount - 1))
    }

    /// Starts or stops the clock according to the status and visibility.
    mutating func updateClock(at now: Duration) {
        if status == .playing && isVisible { clock.run(from: now) } else { clock.stop() }
    }
}
