/// Which failed transfers are tried again, how often, and when.
public struct RetryPolicy: Hashable, Sendable {
    /// Tries in all; 1 is no retry.
    public var maximumAttempts: Int
    /// Before the second try; doubled before each further one.
    public var firstDelay: Duration
    /// A delay is never longer than this, and neither is one that a server asks for: beyond it the transfer fails.
    public var maximumDelay: Duration
    /// The part of a delay that is left to chance, from 0 to 1, so that many do not come back at once.
    public var jitter: Double
    /// No try begins later than this after the transfer has begun.
    public var timeLimit: Duration
    /// Statuses that may pass.
    public var statuses: Set<Int>

    public init(
        maximumAttempts: Int, firstDelay: Duration = .milliseconds(500), maximumDelay: Duration = .seconds(60),
        jitter: Double = 0.5, timeLimit: Duration = .seconds(300), statuses: Set<Int> = [408, 429, 500, 502, 503, 504]
    ) {
        self.maximumAttempts = maximumAttempts
        self.firstDelay = firstDelay
        self.maximumDelay = maximumDelay
        self.jitter = jitter
        self.timeLimit = timeLimit
        self.statuses = statuses
    }

    /// Every failure is final.
    public static let none = RetryPolicy(maximumAttempts: 1)
    /// Three tries.
    public static let standard = RetryPolicy(maximumAttempts: 3)
}
