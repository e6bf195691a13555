/// Limits how many requests begin: tokens come at a steady rate, up to a burst, and each request takes one.
///
/// A request that finds none takes the next one that will come, and is told how long that is. O(1).
struct TokenBucket: Sendable {
    var rate: StartRate?
    private var tokens: Double?
    private var last = Duration.zero

    init(_ rate: StartRate?) {
        self.rate = rate
    }

    /// Takes a token; returns how long to wait for it.
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
