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

/// A timer of the machine's clock, for where no toolkit has a better one.
@MainActor public final class SystemPlaybackTimer: PlaybackTimer {
    private let time: TimeSource
    private var task: Task<Void, Never>?

    public init() {
        time = .system
    }

    public var now: Duration { time.uptime() }

    public func set(for moment: Duration, _ tick: @escaping @MainActor () -> Void) {
        task?.cancel()
        let wait = moment - now
        task = Task { @MainActor in
            try? await Task.sleep(for: wait)
            if !Task.isCancelled { tick() }
        }
    }

    public func cancel() {
        task?.cancel()
        task = nil
    }

    deinit {
        task?.cancel()
    }
}
