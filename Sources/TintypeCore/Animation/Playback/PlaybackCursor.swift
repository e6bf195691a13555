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
