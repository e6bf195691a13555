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
