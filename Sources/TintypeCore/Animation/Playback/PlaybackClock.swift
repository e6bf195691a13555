/// Computes the current frame and loop of an animation from the elapsed time. A value type: the caller passes the time.
///
/// All times are readings of the same monotonic clock.
struct PlaybackClock: Sendable {
    /// The order and durations of the frames.
    private(set) var timeline: PlaybackTimeline
    /// The current step in the loop.
    private(set) var step = 0
    /// How long the current step has lasted.
    private(set) var elapsed = Duration.zero
    /// The number of loops shown to their end.
    private(set) var finishedLoops = 0
    /// Whether the last loop has been shown to its end.
    private(set) var isEnded = false
    /// The playback speed; 0 pauses playback.
    private(set) var rate = 1.0
    /// The total number of plays; 0 means forever.
    var loopCount: Int
    /// The reaction to a frame that is not decoded in time.
    var lateness: PlaybackSettings.Lateness
    /// The time up to which the clock has advanced; `nil` while time is stopped.
    private var lastTime: Duration?

    /// Creates a stopped clock at the beginning.
    init(_ timeline: PlaybackTimeline, loopCount: Int, lateness: PlaybackSettings.Lateness = .skip) {
        self.timeline = timeline
        self.loopCount = loopCount
        self.lateness = lateness
    }

    /// The current frame.
    var frame: Int { timeline.order.frame(at: step) }

    /// The current position, and what follows.
    var cursor: PlaybackCursor {
        PlaybackCursor(order: timeline.order, step: step, stepsLeft: stepsLeft)
    }

    /// The time at which the current frame ends; `nil` while time is stopped or if nothing follows.
    var nextChange: Duration? {
        let left = timeline.duration(of: step) - elapsed
        guard let lastTime, !isEnded, !timeline.isAwaitingStart, rate > 0, left > .zero else { return nil }
        let wait = rate == 1 ? left : left / rate
        // Rounded up: a timer that fires early would change nothing.
        return lastTime + (rate != 1 && wait * rate < left ? wait + .nanoseconds(1) : wait)
    }

    // MARK: Time

    /// Starts time at `now`, if it is stopped.
    mutating func run(from now: Duration) {
        lastTime = lastTime ?? now
    }

    /// Pauses playback. Call ``advance(to:isShown:)`` first to count the time until now.
    mutating func stop() {
        lastTime = nil
    }

    /// Advances to `now`.
    ///
    /// - Parameters:
    ///   - now: The current time. An earlier time than the last has no effect.
    ///   - isShown: Whether the current frame has been shown.
    /// - Returns: The number of loops that ended.
    mutating func advance(to now: Duration, isShown: Bool) -> Int {
        guard let lastTime, now >= lastTime else { return 0 }
        self.lastTime = now
        guard !isEnded, !timeline.isAwaitingStart else { return 0 }
        let passed = min(now - lastTime, Self.longest)
        let time = elapsed + (rate == 1 ? passed : passed * rate)
        let start = timeline.start(of: step)
        switch lateness {
        case .skip: return move(to: start + time)
        case .wait: return isShown ? move(to: start + min(time, timeline.duration(of: step))) : 0
        }
    }

    /// Moves to a time since the beginning of the loop, and returns the number of loops that ended.
    private mutating func move(to time: Duration) -> Int {
        guard time >= timeline.loopDuration else {
            place(at: time)
            return 0
        }
        guard timeline.isComplete else {
            placeAtEnd()
            return 0
        }
        let loops = Int(clamping: time.attoseconds / timeline.loopDuration.attoseconds)
        guard loops < loopsLeft else { return end() }
        finishedLoops += loops
        place(at: time - timeline.loopDuration * loops)
        return loops
    }

    private mutating func end() -> Int {
        let loops = loopsLeft
        finishedLoops += loops
        placeAtEnd()
        isEnded = true
        return loops
    }

    private mutating func place(at time: Duration) {
        step = timeline.step(at: time)
        elapsed = time - timeline.start(of: step)
    }

    private mutating func placeAtEnd() {
        step = timeline.order.stepCount - 1
        elapsed = timeline.duration(of: step)
    }

    private var loopsLeft: Int { loopCount == 0 ? .max : max(1, loopCount - finishedLoops) }

    private var stepsLeft: Int {
        let count = timeline.order.stepCount
        guard timeline.isComplete else { return count - step }
        let (later, overflow) = (loopsLeft - 1).multipliedReportingOverflow(by: count)
        let (left, overflows) = later.addingReportingOverflow(count - step)
        return overflow || overflows ? .max : left
    }

    /// 136 years. A longer interval counts as this, so that sums do not overflow.
    private static let longest = Duration.seconds(1 << 32)

    // MARK: Changes

    /// Sets the playback speed. 0 and negative values pause playback; other values are clamped to 0.001...1000.
    mutating func set(rate: Double) {
        self.rate = rate > 0 ? min(max(rate, 0.001), 1000) : 0
    }

    /// Moves to the start of the first step that shows a frame.
    mutating func seek(to frame: Int, finishedLoops: Int) {
        step = timeline.order.step(of: frame)
        elapsed = .zero
        self.finishedLoops = max(0, finishedLoops)
        isEnded = false
    }

    /// Moves to the beginning, with no loop finished.
    mutating func rewind() {
        seek(to: timeline.order.frame(at: 0), finishedLoops: 0)
    }

    /// Replaces the timeline. The current frame stays.
    mutating func change(to next: PlaybackTimeline) {
        let isBeginning = timeline.isAwaitingStart && !next.isAwaitingStart
        let isReturning = timeline.order.isReturning(at: step)
        let keptFrame = min(frame, next.order.frameCount - 1)
        timeline = next
        guard !isBeginning else { return rewind() }
        step = next.order.step(of: keptFrame, isReturning: isReturning)
        elapsed = min(elapsed, next.duration(of: step))
    }
}
