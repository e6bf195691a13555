/// When each step of a loop begins and ends.
struct PlaybackTimeline: Hashable, Sendable {
    /// The order that is asked for.
    let mode: PlaybackMode
    /// Whether no more frames will come.
    let isComplete: Bool
    /// The order that is played: while frames are still to come, forwards.
    let order: FrameOrder
    /// When each frame would end if they were played forwards.
    private let ends: [Duration]

    /// - Parameter durations: seconds, as they are played; at least one.
    init(_ durations: [Double], mode: PlaybackMode, isComplete: Bool = true) {
        self.init(ends: Self.ends(durations), mode: mode, isComplete: isComplete)
    }

    private init(ends: [Duration], mode: PlaybackMode, isComplete: Bool) {
        self.ends = ends
        self.mode = mode
        self.isComplete = isComplete
        order = FrameOrder(frameCount: ends.count, mode: isComplete ? mode : .normal)
    }

    func with(mode: PlaybackMode) -> PlaybackTimeline {
        PlaybackTimeline(ends: ends, mode: mode, isComplete: isComplete)
    }

    /// Whether nothing can be played yet: the frame to begin with is still to come.
    var isAwaitingStart: Bool { !isComplete && mode.startsAtEnd }

    /// The duration of one loop.
    var loopDuration: Duration { end(of: order.stepCount - 1) }

    func start(of step: Int) -> Duration {
        let frame = order.frame(at: step)
        guard order.isReturning(at: step) else {
            return order.mode.startsAtEnd ? totalDuration - ends[frame] : start(ofFrame: frame)
        }
        // The way there, then what lies between the frame after which it turned and this one.
        let offset =
            order.mode.startsAtEnd
            ? start(ofFrame: frame) - ends[0] : start(ofFrame: ends.count - 1) - ends[frame]
        return totalDuration + offset
    }

    func duration(of step: Int) -> Duration {
        let frame = order.frame(at: step)
        return ends[frame] - start(ofFrame: frame)
    }

    func end(of step: Int) -> Duration { start(of: step) + duration(of: step) }

    /// The step whose turn it is at a time below that of one ``loopDuration``. O(log n).
    func step(at time: Duration) -> Int {
        var (low, high) = (0, order.stepCount - 1)
        while low < high {
            let middle = (low + high) / 2
            if end(of: middle) <= time { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private var totalDuration: Duration { ends[ends.count - 1] }

    private func start(ofFrame frame: Int) -> Duration { frame == 0 ? .zero : ends[frame - 1] }

    private static func ends(_ durations: [Double]) -> [Duration] {
        var end = Duration.zero
        return durations.map { duration in
            end += .nanoseconds(Int64((min(duration, longest) * 1e9).rounded()))
            return end
        }
    }

    /// Seconds: longer than any format can say, so that sums stay within bounds.
    private static let longest = 1e6
}

/// Which frame each step of a loop shows.
struct FrameOrder: Hashable, Sendable {
    /// At least one.
    let frameCount: Int
    let mode: PlaybackMode

    /// The steps of one loop.
    var stepCount: Int { mode.returns ? max(frameCount, 2 * frameCount - 2) : frameCount }

    /// Whether a step is on the way back.
    func isReturning(at step: Int) -> Bool { step >= frameCount }

    func frame(at step: Int) -> Int {
        mirrored(isReturning(at: step) ? stepCount - step : step)
    }

    /// The step that shows a frame, on the way back if that is wanted and there is one.
    func step(of frame: Int, isReturning: Bool = false) -> Int {
        let step = mirrored(frame)
        let isTurn = step == 0 || step == frameCount - 1
        return isReturning && mode.returns && !isTurn ? stepCount - step : step
    }

    /// Whether a frame has its turn after one step and before another, in a loop that begins again.
    func shows(_ frame: Int, after first: Int, before last: Int) -> Bool {
        func distance(to step: Int) -> Int { (step - first + stepCount) % stepCount }
        return [false, true].contains { isReturning in
            let frameDistance = distance(to: step(of: frame, isReturning: isReturning))
            return frameDistance > 0 && frameDistance < distance(to: last)
        }
    }

    private func mirrored(_ index: Int) -> Int { mode.startsAtEnd ? frameCount - 1 - index : index }
}

/// Where someone is in an animation, and what comes next for him.
struct PlaybackCursor: Hashable, Sendable {
    let order: FrameOrder
    let step: Int
    /// The steps until the end, this one included.
    let stepsLeft: Int

    var frame: Int { order.frame(at: step) }

    /// The frame that is shown so many steps from now; `nil` after the end.
    ///
    /// - Parameter distance: below the number of steps of a loop.
    func frame(ahead distance: Int) -> Int? {
        distance < stepsLeft ? order.frame(at: (step + distance) % order.stepCount) : nil
    }
}
