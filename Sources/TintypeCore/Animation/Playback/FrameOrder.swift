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
            let way = distance(to: step(of: frame, isReturning: isReturning))
            return way > 0 && way < distance(to: last)
        }
    }

    private func mirrored(_ index: Int) -> Int { mode.startsAtEnd ? frameCount - 1 - index : index }
}
