/// A limit on the rate at which requests start: a token bucket.
public struct StartRate: Hashable, Sendable {
    /// The number of requests per second, in the long run.
    public var perSecond: Double
    /// The maximum number of requests that start at once after a pause, at least 1.
    public var burst: Int

    /// Creates a limit with a rate and a burst.
    public init(perSecond: Double, burst: Int) {
        self.perSecond = perSecond
        self.burst = burst
    }
}

/// The state of a ``StartRate``: tokens accrue at a steady rate, up to a burst, and each request takes one.
///
/// A request that finds no token takes the next one in advance, and waits until it accrues. All operations are O(1).
struct TokenBucket: Sendable {
    /// `nil` for no limit.
    var rate: StartRate?
    /// The number of tokens at ``last``; negative when some were taken in advance. `nil` before the first request.
    private var tokens: Double?
    /// The uptime of the last request.
    private var last = Duration.zero

    init(_ rate: StartRate?) {
        self.rate = rate
    }

    /// Takes a token, and returns how long to wait before the request.
    mutating func take(at now: Duration) -> Duration {
        guard let rate, rate.perSecond > 0 else { return .zero }
        let burst = Double(max(1, rate.burst))
        let gained = max(0, (now - last) / .seconds(1)) * rate.perSecond
        let left = min(burst, (tokens ?? burst) + gained) - 1
        tokens = left
        last = now
        return left >= 0 ? .zero : .seconds(-left / rate.perSecond)
    }
}
