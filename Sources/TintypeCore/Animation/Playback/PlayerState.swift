/// What a player is told and what follows from it: whether time runs, which frame is wanted, when something changes.
struct PlayerState: Sendable {
    private(set) var clock: PlaybackClock
    private(set) var settings: PlaybackSettings
    private(set) var status = PlaybackStatus.stopped
    private(set) var isVisible = true
    /// The step that was shown last, and its frame.
    private(set) var shown: (step: Int, frame: Int) = (0, 0)
    /// Whether the frame whose turn it is was not shown yet.
    private(set) var isDue = false
    private var storedLoopCount: Int

    init(_ durations: [Double], loopCount: Int, isComplete: Bool, settings: PlaybackSettings) {
        self.settings = settings
        storedLoopCount = loopCount
        clock = PlaybackClock(
            PlaybackTimeline(durations, mode: settings.mode, isComplete: isComplete),
            loopCount: settings.loopCount ?? loopCount, lateness: settings.lateness)
        clock.set(rate: settings.rate)
    }

    /// Whether frames are wanted: while it plays or could go on at once, and until the last one that is due is shown.
    var wantsFrames: Bool { isVisible && (status == .playing || status == .paused || isDue) }

    /// When to come back; `nil` when nothing changes by itself.
    var nextChange: Duration? {
        settings.lateness == .wait && isDue ? nil : clock.nextChange
    }

    // MARK: Events

    /// Time has passed.
    ///
    /// - Returns: how many loops have ended by it.
    mutating func advance(to now: Duration) -> Int {
        let (step, finished) = (clock.step, clock.finishedLoops)
        let loops = clock.advance(to: now, isShown: !isDue)
        if clock.isEnded && status == .playing { status = .ended }
        if clock.step != step || clock.finishedLoops != finished && !clock.isEnded { isDue = true }
        return loops
    }

    /// A frame is on the display.
    mutating func show(_ frame: Int) {
        if frame == clock.frame {
            shown = (clock.step, frame)
            isDue = false
        } else {
            shown = (clock.timeline.order.step(of: frame), frame)
        }
    }

    /// The frame whose turn it is cannot be made: it counts as shown.
    mutating func skipFrame() {
        isDue = false
    }

    /// Whether frames before the one whose turn it is are newer than what is shown.
    var isLate: Bool { isDue && shown.step != clock.step }

    /// Whether a frame that comes late is still newer than what is shown.
    func isWorthShowing(_ frame: Int) -> Bool {
        clock.timeline.order.shows(frame, after: shown.step, before: clock.step)
    }

    mutating func play() {
        if status == .ended || clock.isEnded { clock.rewind() }
        if status == .stopped || status == .ended { isDue = true }
        status = .playing
    }

    mutating func pause() {
        if status == .playing { status = .paused }
    }

    mutating func stop() {
        status = .stopped
        isDue = false
        if settings.rewindsWhenStopped { rewind() }
    }

    mutating func rewind() {
        clock.rewind()
        noteSeek()
    }

    mutating func seek(to frame: Int, finishedLoops: Int) {
        clock.seek(to: frame, finishedLoops: finishedLoops)
        noteSeek()
    }

    private mutating func noteSeek() {
        isDue = true
        // What lies between is not late: it is not wanted.
        shown.step = clock.step
        if status == .ended { status = .paused }
    }

    mutating func setVisible(_ isVisible: Bool) {
        self.isVisible = isVisible
    }

    mutating func set(_ settings: PlaybackSettings) {
        self.settings = settings
        clock.set(rate: settings.rate)
        clock.lateness = settings.lateness
        clock.loopCount = settings.loopCount ?? storedLoopCount
        if settings.mode != clock.timeline.mode { change(to: clock.timeline.with(mode: settings.mode)) }
    }

    /// The same animation has more frames, or no more will come.
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

    /// Lets time run or stand, as everything says.
    mutating func updateClock(at now: Duration) {
        if status == .playing && isVisible { clock.run(from: now) } else { clock.stop() }
    }
}
