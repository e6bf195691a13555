/// A one-shot timer that drives an animation: a toolkit's frame clock, a system timer or a test's manual timer.
///
/// Each player owns one. No timer is set while nothing changes.
@MainActor public protocol PlaybackTimer: AnyObject {
    /// The current time of a monotonic clock.
    var now: Duration { get }

    /// Calls `tick` once, when ``now`` reaches `time` or soon after; a frame clock calls it at its next frame. Replaces
    /// the previous setting.
    func set(for time: Duration, _ tick: @escaping @MainActor () -> Void)

    /// Cancels the pending call, if there is one.
    func cancel()
}

/// A timer over the system's monotonic clock, for programs without a toolkit's frame clock.
@MainActor package final class SystemPlaybackTimer: PlaybackTimer {
    private let time: TimeSource
    private var task: Task<Void, Never>?

    /// Creates a timer.
    package init() {
        time = .system
    }

    /// The system's uptime.
    package var now: Duration { time.uptime() }

    /// Calls `tick` once at `moment`, on the main actor. Replaces the previous setting.
    package func set(for moment: Duration, _ tick: @escaping @MainActor () -> Void) {
        task?.cancel()
        let wait = moment - now
        task = Task { @MainActor in
            try? await Task.sleep(for: wait)
            if !Task.isCancelled { tick() }
        }
    }

    /// Cancels the pending call, if there is one.
    package func cancel() {
        task?.cancel()
        task = nil
    }

    deinit {
        task?.cancel()
    }
}
