public import Foundation
public import TintypeCore

/// A clock that moves only when a test advances it. You can use it from any thread.
public final class ManualClock: Sendable {
    private let elapsed = Locked(Duration.zero)
    private let start: Date

    /// Creates a clock with an uptime of zero.
    ///
    /// - Parameter start: The date at an uptime of zero. 14 November 2023 by default.
    public init(start: Date = Date(timeIntervalSince1970: 1_700_000_000)) {
        self.start = start
    }

    /// The time source to pass to a pipeline or a cache.
    public var timeSource: TimeSource {
        TimeSource(uptime: { self.uptime }, date: { self.date })
    }

    /// The time by which the clock was advanced.
    package var uptime: Duration { elapsed.withLock { $0 } }

    /// The current date of the clock.
    package var date: Date {
        let components = uptime.components
        return start.addingTimeInterval(Double(components.seconds) + Double(components.attoseconds) * 1e-18)
    }

    /// Moves the clock forward.
    public func advance(by duration: Duration) {
        elapsed.withLock { $0 += duration }
    }
}

/// A playback timer whose time moves only when a test advances it. Pass it to an `AnimationPlayer`.
@MainActor public final class ManualPlaybackTimer: PlaybackTimer {
    /// The current time of the timer.
    public private(set) var now = Duration.zero
    /// The time at which the timer fires, or `nil` if it is not set.
    package private(set) var ringTime: Duration?
    private var tick: (@MainActor () -> Void)?

    /// Creates a timer at time zero that is not set.
    public init() {}

    /// Sets the timer to fire once at a time. Replaces an earlier setting.
    public func set(for time: Duration, _ tick: @escaping @MainActor () -> Void) {
        (ringTime, self.tick) = (time, tick)
    }

    /// Clears the timer.
    public func cancel() {
        (ringTime, tick) = (nil, nil)
    }

    /// Advances the time like a machine that is never late: the timer fires at every time it is set to.
    public func advance(by duration: Duration) {
        let end = now + duration
        while let ringTime, ringTime <= end {
            now = max(now, ringTime)
            ring()
        }
        now = end
    }

    /// Advances the time like a machine that was suspended: the timer fires once at the end, if it was due.
    package func sleep(for duration: Duration) {
        now += duration
        if let ringTime, ringTime <= now { ring() }
    }

    private func ring() {
        let tick = tick
        cancel()
        tick?()
    }
}
