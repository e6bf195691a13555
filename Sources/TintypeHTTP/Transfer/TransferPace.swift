import TintypeCore

/// The lowest rate at which a body must arrive.
///
/// A server that sends a byte now and then is never idle, but holds a slot.
public struct MinimumRate: Hashable, Sendable {
    /// The number of bytes of the body, with its content coding, that must arrive in each interval; 0 sets no limit.
    public var byteCount: Int
    /// The length of an interval. The first one begins when the head of the response has arrived.
    public var interval: Duration

    /// Creates a rate of `byteCount` bytes in each interval.
    public init(byteCount: Int, interval: Duration) {
        self.byteCount = byteCount
        self.interval = interval
    }

    /// 30 KB in each 30 seconds, that is 8 kbit a second.
    public static let standard = MinimumRate(byteCount: 30_000, interval: .seconds(30))

    /// No limit.
    public static let unlimited = MinimumRate(byteCount: 0, interval: .zero)
}

/// Decides whether a response arrives fast enough: within the total time of its attempt, and at a minimum rate. A pure
/// struct: the time is an argument.
struct TransferPace: Sendable {
    /// The progress of a response.
    struct Progress: Hashable, Sendable {
        /// The uptime at which the head arrived; `nil` before.
        var headTime: Duration?
        /// The number of bytes of the body that have arrived.
        var byteCount = 0
        /// Whether the origin had to wait for the reader since the last look at the progress.
        var wasPaused = false
    }

    /// The total time of the attempt, and the uptime at which it ends.
    let total: (limit: Duration, end: Duration)?
    /// `nil` for no limit.
    let rate: MinimumRate?
    /// The uptime at which the current interval began, and the number of bytes that had arrived by then.
    private var interval: (start: Duration, byteCount: Int)?

    /// - Parameters:
    ///   - limit: The total time of the attempt; `nil` for no limit.
    ///   - start: The uptime at which the attempt began.
    init(totalTime limit: Duration?, from start: Duration, rate: MinimumRate?) {
        total = limit.map { ($0, start + min($0, .seconds(1 << 32))) }
        self.rate = rate.flatMap { $0.byteCount > 0 && $0.interval > .zero ? $0 : nil }
    }

    /// The uptime of the next check; `nil` when there is no limit.
    func nextCheck(at now: Duration) -> Duration? {
        let ofRate = rate.map { rate in
            // The head has arrived at some moment before the check; the check after it is exact.
            (interval?.start ?? now) + rate.interval
        }
        guard let total else { return ofRate }
        return min(total.end, ofRate ?? total.end)
    }

    /// Checks the progress, and returns the error of a response that is too slow.
    mutating func check(_ progress: Progress, at now: Duration) -> TintypeError? {
        if let total, now >= total.end { return TimeLimit.exceeded(total.limit) }
        guard let rate, let headTime = progress.headTime else { return nil }
        let (start, byteCount) = interval ?? (headTime, 0)
        // While the origin waits, its rate is that of the reader.
        if progress.wasPaused {
            interval = (now, progress.byteCount)
        } else if now - start < rate.interval {
            interval = (start, byteCount)
        } else if progress.byteCount - byteCount >= rate.byteCount {
            interval = (now, progress.byteCount)
        } else {
            return Self.tooSlow(progress.byteCount - byteCount, in: now - start)
        }
        return nil
    }

    private static func tooSlow(_ count: Int, in time: Duration) -> TintypeError {
        TintypeError(.timedOut, stage: .load, "too slow: \(count) bytes in \(time.components.seconds) s")
    }
}
