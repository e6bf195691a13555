/// The frame that each step of a loop shows.
struct FrameOrder: Hashable, Sendable {
    /// The number of frames; at least 1.
    let frameCount: Int
    /// The playback mode.
    let mode: PlaybackMode

    /// The number of steps in one loop.
    var stepCount: Int { mode.returns ? max(frameCount, 2 * frameCount - 2) : frameCount }

    /// Whether a step is on the way back.
    func isReturning(at step: Int) -> Bool { step >= frameCount }

    /// Returns the frame that a step shows.
    func frame(at step: Int) -> Int {
        mirrored(isReturning(at: step) ? stepCount - step : step)
    }

    /// Returns the step that shows a frame: the one on the way back if `isReturning` is set and there is one.
    func step(of frame: Int, isReturning: Bool = false) -> Int {
        let step = mirrored(frame)
        let isTurn = step == 0 || step == frameCount - 1
        return isReturning && mode.returns && !isTurn ? stepCount - step : step
    }

    /// Whether a frame is shown after step `first` and before step `last`, in a loop that repeats.
    func shows(_ frame: Int, after first: Int, before last: Int) -> Bool {
        func distance(to step: Int) -> Int { (step - first + stepCount) % stepCount }
        return [false, true].contains { isReturning in
            let frameDistance = distance(to: step(of: frame, isReturning: isReturning))
            return frameDistance > 0 && frameDistance < distance(to: last)
        }
    }

    private func mirrored(_ index: Int) -> Int { mode.startsAtEnd ? frameCount - 1 - index : index }
}

/// The position of a player in an animation, and the frames that follow.
struct PlaybackCursor: Hashable, Sendable {
    /// The order of the frames.
    let order: FrameOrder
    /// The current step in the loop.
    let step: Int
    /// The number of steps until the end, the current one included.
    let stepsLeft: Int

    /// The current frame.
    var frame: Int { order.frame(at: step) }

    /// Returns the frame shown `distance` steps from now, or `nil` after the end.
    ///
    /// - Parameter distance: Less than the number of steps in a loop.
    func frame(ahead distance: Int) -> Int? {
        distance < stepsLeft ? order.frame(at: (step + distance) % order.stepCount) : nil
    }
}

/// The start and end of each step of a loop.
struct PlaybackTimeline: Hashable, Sendable {
    /// The requested order.
    let mode: PlaybackMode
    /// Whether all frames have arrived.
    let isComplete: Bool
    /// The order that is played: forwards while frames are still arriving.
    let order: FrameOrder
    /// The end of each frame in forward order.
    private let ends: [Duration]

    /// Creates a timeline.
    ///
    /// - Parameters:
    ///   - durations: The duration of each frame in seconds, as played; at least one.
    ///   - mode: The requested order.
    ///   - isComplete: Whether all frames have arrived.
    init(_ durations: [Double], mode: PlaybackMode, isComplete: Bool = true) {
        self.init(ends: Self.ends(durations), mode: mode, isComplete: isComplete)
    }

    private init(ends: [Duration], mode: PlaybackMode, isComplete: Bool) {
        self.ends = ends
        self.mode = mode
        self.isComplete = isComplete
        order = FrameOrder(frameCount: ends.count, mode: isComplete ? mode : .normal)
    }

    /// Returns the same timeline in another order.
    func with(mode: PlaybackMode) -> PlaybackTimeline {
        PlaybackTimeline(ends: ends, mode: mode, isComplete: isComplete)
    }

    /// Whether playback cannot begin yet, because it begins with the last frame, which has not arrived.
    var isAwaitingStart: Bool { !isComplete && mode.startsAtEnd }

    /// The duration of one loop.
    var loopDuration: Duration { end(of: order.stepCount - 1) }

    /// Returns the start of a step within the loop.
    func start(of step: Int) -> Duration {
        let frame = order.frame(at: step)
        guard order.isReturning(at: step) else {
            return order.mode.startsAtEnd ? totalDuration - ends[frame] : start(ofFrame: frame)
        }
        // The time from the turning point, where the direction changes, to the start of this step.
        let offset =
            order.mode.startsAtEnd
            ? start(ofFrame: frame) - ends[0] : start(ofFrame: ends.count - 1) - ends[frame]
        return totalDuration + offset
    }

    /// Returns the duration of a step.
    func duration(of step: Int) -> Duration {
        let frame = order.frame(at: step)
        return ends[frame] - start(ofFrame: frame)
    }

    /// Returns the end of a step within the loop.
    func end(of step: Int) -> Duration { start(of: step) + duration(of: step) }

    /// Returns the step at a time less than ``loopDuration``. O(log n).
    func step(at time: Duration) -> Int {
        var (low, high) = (0, order.stepCount - 1)
        while low < high {
            let middle = (low + high) / 2
            if end(of: middle) <= time { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The duration of all frames in forward order.
    private var totalDuration: Duration { ends[ends.count - 1] }

    private func start(ofFrame frame: Int) -> Duration { frame == 0 ? .zero : ends[frame - 1] }

    private static func ends(_ durations: [Double]) -> [Duration] {
        var end = Duration.zero
        return durations.map { duration in
            end += .nanoseconds(Int64((min(duration, longest) * 1e9).rounded()))
            return end
        }
    }

    /// The maximum duration of a frame in seconds: longer than any format can store, so that sums do not overflow.
    private static let longest = 1e6
}
