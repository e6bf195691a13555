public import Foundation
public import TintypeCore

/// Time that stands still until a test moves it.
public final class ManualClock: Sendable {
    private let elapsed = Locked(Duration.zero)
    private let start: Date

    public init(start: Date = Date(timeIntervalSince1970: 1_700_000_000)) {
        self.start = start
    }

    /// What a pipeline or cache is given.
    public var timeSource: TimeSource {
        TimeSource(uptime: { self.uptime }, date: { self.date })
    }

    public var uptime: Duration { elapsed.withLock { $0 } }

    public var date: Date {
        let components = uptime.components
        return start.addingTimeInterval(Double(components.seconds) + Double(components.attoseconds) * 1e-18)
    }

    public func advance(by duration: Duration) {
        elapsed.withLock { $0 += duration }
    }
}

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
