/// The time of one animation that is played: what time makes of frames and loops.
///
/// It knows no clock; who has one says what time it is. Times are those of any clock that never goes back.
struct PlaybackClock: Sendable {
    private(set) var timeline: PlaybackTimeline
    /// Where it is in a loop.
    private(set) var step = 0
    /// How long that step has lasted.
    private(set) var elapsed = Duration.zero
    private(set) var finishedLoops = 0
    /// Whether the last loop has been shown to its end.
    private(set) var isEnded = false
    private(set) var rate = 1.0
    /// The total number of plays; 0 is forever.
    var loopCount: Int
    var lateness: PlaybackSettings.Lateness
    /// What has passed before has been lastTime; `nil` while time stands.
    private var lastTime: Duration?

    init(_ timeline: PlaybackTimeline, loopCount: Int, lateness: PlaybackSettings.Lateness = .skip) {
        self.timeline = timeline
        self.loopCount = loopCount
        self.lateness = lateness
    }

    /// The frame whose turn it is.
    var frame: Int { timeline.order.frame(at: step) }

    var cursor: PlaybackCursor {
        PlaybackCursor(order: timeline.order, step: step, stepsLeft: stepsLeft)
    }

    /// When the turn of this frame ends; `nil` while time stands, and when nothing comes after it.
    var nextChange: Duration? {
        let left = timeline.duration(of: step) - elapsed
        guard let lastTime, !isEnded, !timeline.isAwaitingStart, rate > 0, left > .zero else { return nil }
        let wait = rate == 1 ? left : left / rate
        // Rounded up: a little early would be no change.
        return lastTime + (rate != 1 && wait * rate < left ? wait + .nanoseconds(1) : wait)
    }

    // MARK: Time

    /// Time counts from now on.
    mutating func run(from now: Duration) {
        lastTime = lastTime ?? now
    }

    /// Time counts no longer; what has passed is to be told before by ``advance(to:isShown:)``.
    mutating func stop() {
        lastTime = nil
    }

    /// Counts the time until `now`.
    ///
    /// - Parameter isShown: whether the frame whose turn it is was shown.
    /// - Returns: how many loops have ended by it.
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

    /// 136 years: more at once counts as that, so that no sum overflows.
    private static let longest = Duration.seconds(1 << 32)

    // MARK: Changes

    mutating func set(rate: Double) {
        self.rate = rate > 0 ? min(max(rate, 0.001), 1000) : 0
    }

    /// Goes to the beginning of a frame's first turn in a loop.
    mutating func seek(to frame: Int, finishedLoops: Int) {
        step = timeline.order.step(of: frame)
        elapsed = .zero
        self.finishedLoops = max(0, finishedLoops)
        isEnded = false
    }

    /// To where it begins.
    mutating func rewind() {
        seek(to: timeline.order.frame(at: 0), finishedLoops: 0)
    }

    /// Plays other frames, or in another order; the frame whose turn it is stays.
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
