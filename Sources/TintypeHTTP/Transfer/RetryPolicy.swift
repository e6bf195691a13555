import TintypeCore

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

/// Decides after each failure of a transfer whether and when it is tried again. Knows no time but what it is told.
struct RetryState: Sendable {
    let policy: RetryPolicy
    /// When the transfer began.
    let start: Duration
    /// Whether sending it twice is the same as once. What is not is tried again only if it reached no one.
    let isIdempotent: Bool
    private(set) var attempts = 1

    init(_ policy: RetryPolicy, start: Duration, isIdempotent: Bool = true) {
        self.policy = policy
        self.start = start
        self.isIdempotent = isIdempotent
    }

    /// Until no further try may begin.
    func timeLeft(at now: Duration) -> Duration { max(.zero, policy.timeLimit - (now - start)) }

    /// How long to wait before the next try; `nil` when there is none.
    ///
    /// - Parameters:
    ///   - retryAfter: what the server asked for (RFC 9110, 10.2.3).
    ///   - chance: from 0 up to 1.
    mutating func delay(
        after failure: TintypeError, status: Int?, retryAfter: Duration?, at now: Duration, chance: Double
    ) -> Duration? {
        guard attempts < policy.maximumAttempts, mayPass(failure.code, status) else { return nil }
        let delay = max(backoff(chance), retryAfter ?? .zero)
        guard delay <= policy.maximumDelay || retryAfter == nil, now - start + delay <= policy.timeLimit else {
            return nil
        }
        attempts += 1
        return delay
    }

    /// What may be otherwise the next time: not what the request, the answer or a setting makes certain.
    private func mayPass(_ code: TintypeError.Code, _ status: Int?) -> Bool {
        switch code {
        case .unreachable: true
        case .timedOut, .transport, .truncatedBody: isIdempotent
        case .badStatus: isIdempotent && status.map(policy.statuses.contains) ?? false
        default: false
        }
    }

    /// Exponential, with a part of it left to chance.
    private func backoff(_ chance: Double) -> Duration {
        let exponent = min(attempts - 1, 30)
        let full = min(policy.firstDelay * Double(1 << exponent), policy.maximumDelay)
        let jitter = min(max(policy.jitter, 0), 1)
        return full * (1 - jitter * chance)
    }
}
