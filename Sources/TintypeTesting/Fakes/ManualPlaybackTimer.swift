public import TintypeCore

/// A timer whose time stands still until a test moves it.
@MainActor public final class ManualPlaybackTimer: PlaybackTimer {
    public private(set) var now = Duration.zero
    /// When it rings; `nil` while nothing is set.
    public private(set) var ringTime: Duration?
    private var tick: (@MainActor () -> Void)?

    public init() {}

    public func set(for time: Duration, _ tick: @escaping @MainActor () -> Void) {
        (ringTime, self.tick) = (time, tick)
    }

    public func cancel() {
        (ringTime, tick) = (nil, nil)
    }

    /// Lets time pass, as on a machine that is never late: it rings whenever it is set to.
    public func advance(by duration: Duration) {
        let end = now + duration
        while let ringTime, ringTime <= end {
            now = max(now, ringTime)
            ring()
        }
        now = end
    }

    /// Lets time pass as on a machine that was asleep: it rings at the end alone, if it was set to before.
    public func sleep(for duration: Duration) {
        now += duration
        if let ringTime, ringTime <= now { ring() }
    }

    private func ring() {
        let tick = tick
        cancel()
        tick?()
    }
}
