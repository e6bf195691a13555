import Foundation

/// A point in time as it is stored: microseconds since 1970.
struct DiskTime: Hashable, Comparable, Sendable {
    let microseconds: Int64

    init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// The nearest microsecond, clamped to about 290,000 years before or after 1970.
    init(_ date: Date) {
        let exact = date.timeIntervalSince1970 * 1_000_000
        microseconds = Int64(exactly: exact.rounded()) ?? (exact < 0 ? .min : .max)
    }

    /// Creates the time of a file, rounded down to a microsecond.
    init(_ time: timespec) {
        let (seconds, overflow) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000)
        let (sum, isTooLarge) = seconds.addingReportingOverflow(Int64(time.tv_nsec / 1_000))
        microseconds = overflow || isTooLarge ? .max : sum
    }

    var date: Date { Date(timeIntervalSince1970: Double(microseconds) / 1_000_000) }

    var timespec: timespec {
        let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        return rest < 0
            ? Foundation.timespec(tv_sec: Int(seconds - 1), tv_nsec: Int(rest + 1_000_000) * 1_000)
            : Foundation.timespec(tv_sec: Int(seconds), tv_nsec: Int(rest) * 1_000)
    }

    /// The time between two points, in microseconds.
    func distance(to other: DiskTime) -> UInt64 {
        UInt64(bitPattern: max(self, other).microseconds &- min(self, other).microseconds)
    }

    /// The time that lies `duration` earlier, clamped to the range of the type.
    func earlier(by duration: Duration) -> DiskTime {
        let (seconds, attoseconds) = duration.components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        guard !overflow else { return DiskTime(microseconds: .min) }
        let (result, underflow) = microseconds.subtractingReportingOverflow(whole + attoseconds / 1_000_000_000_000)
        return DiskTime(microseconds: underflow ? .min : result)
    }

    static func < (left: DiskTime, right: DiskTime) -> Bool { left.microseconds < right.microseconds }
}

/// The times in the header of an entry.
struct EntryTimes: Equatable, Sendable {
    /// When its bytes were received from their source.
    var created: DiskTime
    /// When its bytes were stored.
    var modified: DiskTime
    /// When any part of the entry was last stored.
    var changed: DiskTime
    /// When it becomes a miss; `nil` is never.
    var expires: DiskTime?

    /// Whether the entry was not used since it was stored. Uses `<=`, because some file systems round to seconds.
    func isUnused(accessed: DiskTime) -> Bool { accessed <= changed }
}
