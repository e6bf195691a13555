import TintypeCore

/// The rules for retrying failed transfers: which, how often, and when.
public struct RetryPolicy: Hashable, Sendable {
    /// The maximum number of attempts, including the first; 1 means no retry.
    package var maximumAttempts: Int
    /// The delay before the second attempt; doubled before each further one.
    package var firstDelay: Duration
    /// The longest delay. If a server asks for a longer one (`Retry-After`), the transfer fails.
    package var maximumDelay: Duration
    /// The fraction of a delay that is random, from 0 to 1, so that many clients do not retry at once.
    package var jitter: Double
    /// The period, counted from the start of the transfer, in which attempts may begin.
    package var timeLimit: Duration
    /// The status codes that are retried.
    package var statuses: Set<Int>

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - maximumAttempts: The maximum number of attempts, including the first; 1 means no retry.
    ///   - firstDelay: The delay before the second attempt; doubled before each further one.
    ///   - maximumDelay: The longest delay.
    ///   - jitter: The fraction of a delay that is random, from 0 to 1.
    ///   - timeLimit: The period, counted from the start of the transfer, in which attempts may begin.
    ///   - statuses: The status codes that are retried.
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

    /// No retry.
    public static let none = RetryPolicy(maximumAttempts: 1)
    /// Three attempts, with the default delays.
    public static let standard = RetryPolicy(maximumAttempts: 3)
}

/// Decides after each failure of a transfer whether and when to retry. A pure struct: the time is an argument.
struct RetryState: Sendable {
    let policy: RetryPolicy
    /// The uptime at which the transfer began.
    let start: Duration
    /// Whether the request is idempotent (RFC 9110, 9.2.2). Otherwise it is retried only if no server was reached.
    let isIdempotent: Bool
    /// The number of attempts that have begun.
    private(set) var attempts = 1

    init(_ policy: RetryPolicy, start: Duration, isIdempotent: Bool = true) {
        self.policy = policy
        self.start = start
        self.isIdempotent = isIdempotent
    }

    /// The time in which attempts may still begin.
    func timeLeft(at now: Duration) -> Duration { max(.zero, policy.timeLimit - (now - start)) }

    /// Returns the delay before the next attempt, and counts that attempt; `nil` when the failure is final.
    ///
    /// - Parameters:
    ///   - status: The status code of the response, if there was one.
    ///   - retryAfter: The delay that the server asked for (RFC 9110, 10.2.3).
    ///   - now: The uptime.
    ///   - chance: A random number from 0 up to 1.
    mutating func delay(
        after failure: TintypeError, status: Int?, retryAfter: Duration?, at now: Duration, chance: Double
    ) -> Duration? {
        guard attempts < policy.maximumAttempts, isTransient(failure.code, status) else { return nil }
        let delay = max(backoff(chance), retryAfter ?? .zero)
        guard delay <= policy.maximumDelay || retryAfter == nil, now - start + delay <= policy.timeLimit else {
            return nil
        }
        attempts += 1
        return delay
    }

    /// Whether another attempt may succeed. It cannot if the request, the response or a setting made the failure
    /// certain.
    private func isTransient(_ code: TintypeError.Code, _ status: Int?) -> Bool {
        switch code {
        case .unreachable: true
        case .timedOut, .transport, .truncatedBody: isIdempotent
        case .badStatus: isIdempotent && status.map(policy.statuses.contains) ?? false
        default: false
        }
    }

    /// The exponential delay with its random fraction.
    private func backoff(_ chance: Double) -> Duration {
        let exponent = min(attempts - 1, 30)
        let full = min(policy.firstDelay * Double(1 << exponent), policy.maximumDelay)
        let jitter = min(max(policy.jitter, 0), 1)
        return full * (1 - jitter * chance)
    }
}
