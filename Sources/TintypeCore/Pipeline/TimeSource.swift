public import Foundation

/// Time as a pipeline sees it, so that a test can turn it by hand.
public struct TimeSource: Sendable {
    /// Time that never jumps, since some moment in the past.
    public var uptime: @Sendable () -> Duration
    /// Calendar time, which may jump.
    public var date: @Sendable () -> Date

    public init(uptime: @escaping @Sendable () -> Duration, date: @escaping @Sendable () -> Date) {
        self.uptime = uptime
        self.date = date
    }

    /// The machine's clocks.
    public static let system = TimeSource(
        uptime: { start.duration(to: .now) },
        date: { Date() })

    private static let start = ContinuousClock.now
}
