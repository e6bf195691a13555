package import Foundation

/// The clocks of a pipeline. Tests replace them with manual clocks.
public struct TimeSource: Sendable {
    /// Returns the time since an arbitrary moment. It is monotonic.
    package var uptime: @Sendable () -> Duration
    /// Returns the calendar date. It may jump.
    package var date: @Sendable () -> Date

    /// Creates clocks from two functions.
    package init(uptime: @escaping @Sendable () -> Duration, date: @escaping @Sendable () -> Date) {
        self.uptime = uptime
        self.date = date
    }

    /// The clocks of the machine.
    public static let system = TimeSource(
        uptime: { start.duration(to: .now) },
        date: { Date() })

    private static let start = ContinuousClock.now
}

extension Date {
    /// Returns the date that is later by a duration.
    package func later(by duration: Duration) -> Date {
        let (seconds, attoseconds) = duration.components
        return addingTimeInterval(Double(seconds) + Double(attoseconds) * 1e-18)
    }
}

extension Optional where Wrapped: Comparable {
    /// Returns the earlier of two times, where `nil` is never.
    // Inlinable, so that other modules get a specialised function.
    @inlinable
    package static func earlier(_ first: Wrapped?, _ second: Wrapped?) -> Wrapped? {
        guard let first, let second else { return first ?? second }
        return min(first, second)
    }
}
