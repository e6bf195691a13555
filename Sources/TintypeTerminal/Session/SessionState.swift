/// The state that the users of a ``TerminalSession`` share with its thread.
struct SessionState: Sendable {
    /// The next step of the thread.
    enum Step: Sendable {
        /// Draw a frame.
        case draw(FrameQueue<RegionFrame>.Entry)
        /// Clear the screen, and forget what the regions show.
        case restart(TerminalSize)
        /// Remove what a region shows, and forget the region.
        case remove(Int)
        /// Wait for an answer or a frame, or until this time.
        case wait(until: Duration?)
        /// Restore the terminal, until the session resumes.
        case suspend
        /// Wait for the end of the pause, without reading the terminal: its keys are for another program.
        case rest
        /// Use the terminal again.
        case resume
        /// End the session.
        case end
    }

    /// Whether the session uses the terminal, or has restored it for another program.
    private enum Pause: Sendable {
        case none, requested, paused, ending
    }

    /// Whether the session goes on.
    private enum Ending: Sendable {
        case none, afterFrames, now
    }

    private var frames = FrameQueue<RegionFrame>()
    private var flow = FlowControl()
    private var newSize: TerminalSize?
    private var removedRegions: [Int] = []
    private var ending = Ending.none
    private var pause = Pause.none
    private(set) var size: TerminalSize
    private var lastRegion = 0

    init(size: TerminalSize) {
        self.size = size
    }

    mutating func makeRegion() -> Int {
        lastRegion += 1
        return lastRegion
    }

    mutating func add(_ frame: RegionFrame, region: Int, kind: FrameKind) {
        frames.add(frame, region: region, kind: kind)
    }

    /// Adds a frame that was written once more, unless a newer one waits, its region was removed, or it was made for a
    /// former size.
    mutating func repeatFrame(_ frame: RegionFrame, region: Int) {
        guard newSize == nil, !removedRegions.contains(region), !frames.contains(region) else { return }
        frames.add(frame, region: region, kind: .content)
    }

    mutating func remove(_ region: Int) {
        frames.removeAll(of: region)
        removedRegions.append(region)
    }

    /// Records a new size and drops the frames for the former one: the regions have to be laid out again.
    mutating func resize(to size: TerminalSize) {
        self.size = size
        newSize = size
        frames.removeAll()
    }

    mutating func end() {
        ending = .now
    }

    /// Ends the session when all frames have been written.
    mutating func finish() {
        if ending == .none { ending = .afterFrames }
    }

    mutating func suspend() {
        if pause == .none { pause = .requested }
    }

    /// Ends the pause.
    ///
    /// - Returns: Whether the session goes on.
    mutating func resume() -> Bool {
        pause = pause == .paused ? .ending : .none
        return ending != .now
    }

    mutating func recordAnswer() {
        flow.recordAnswer()
    }

    mutating func write(at now: Duration) {
        flow.write(at: now)
    }

    /// Returns the next step, and removes what it needs from the state.
    mutating func next(at now: Duration) -> Step {
        if ending == .afterFrames, frames.kind == nil { ending = .now }
        if ending == .now { return .end }
        switch pause {
        case .requested:
            pause = .paused
            return .suspend
        case .paused: return .rest
        case .ending:
            pause = .none
            flow = FlowControl()
            return .resume
        case .none: break
        }
        if let size = newSize {
            newSize = nil
            return .restart(size)
        }
        if let region = removedRegions.popLast() { return .remove(region) }
        guard let kind = frames.kind else { return .wait(until: nil) }
        switch flow.permission(for: kind) {
        case .now: break
        case .at(let time) where time <= now: break
        case .at(let time): return .wait(until: time)
        case .whenAnswered: return .wait(until: nil)
        }
        // A terminal that answers nothing gets only content.
        let isStill = flow.permission(for: .animation) == .whenAnswered
        return frames.removeFirst(isStill ? .content : .animation).map(Step.draw) ?? .wait(until: nil)
    }
}
