/// The clock by which an animation is played: a toolkit's frame clock, a timer, or the hand of a test.
///
/// Each player has one of its own. While nothing is to change, none is set.
@MainActor public protocol PlaybackTimer: AnyObject {
    /// Time that never goes back.
    var now: Duration { get }

    /// Calls `tick` once, when ``now`` is `time` or soon after it; a frame clock does with its next frame. Takes the place
    /// of what was set before.
    func set(for time: Duration, _ tick: @escaping @MainActor () -> Void)

    /// Calls nothing any more.
    func cancel()
}
