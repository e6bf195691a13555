import TintypeCore

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
