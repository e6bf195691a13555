/// When to try to connect again: 50 ms after the first failure, twice as long after each further one, at most 5 s, each
/// time with jitter, so that the clients of a server that returns do not come all at once.
struct RedisBackoff: Sendable {
    static let firstDelay = Duration.milliseconds(50)
    static let longestDelay = Duration.seconds(5)

    /// The earliest time of the next attempt.
    private(set) var nextAttempt = Duration.zero
    private var failureCount = 0

    /// Notes that an attempt has failed, or that a connection was lost before a command was answered.
    ///
    /// - Parameter random: A number from 0 to 1. The delay is between half of the full one and the full one.
    mutating func failed(now: Duration, random: Double) {
        let full = min(Self.firstDelay * (1 << min(failureCount, 10)), Self.longestDelay)
        failureCount += 1
        nextAttempt = now + full * (0.5 + random / 2)
    }

    /// Notes that a command was answered.
    mutating func succeeded() {
        failureCount = 0
    }

    func allowsAttempt(now: Duration) -> Bool { now >= nextAttempt }
}
