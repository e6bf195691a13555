import TintypeCore

/// Decides after each failure of a request whether and when to send it again. A pure struct: the time is an argument.
struct S3Retry: Sendable {
    /// The longest pause before the first retry; doubled before each further one.
    private static let firstPause = Duration.milliseconds(100)
    /// The longest pause.
    private static let longestPause = Duration.seconds(2)

    let limits: S3Limits
    /// The uptime at which the last attempt must have ended.
    let end: Duration
    /// The number of retries so far.
    private(set) var count = 0

    /// - Parameter start: The uptime at which the first attempt began.
    init(_ limits: S3Limits, from start: Duration) {
        self.limits = limits
        end = start + limits.total
    }

    /// The longest time of the next attempt.
    func attemptTime(at now: Duration) -> Duration { max(.zero, min(limits.attempt, end - now)) }

    /// Returns the pause before the next attempt, and counts that attempt; `nil` if the failure is final.
    ///
    /// The pause is random between zero and a limit that doubles ("full jitter": AWS Architecture Blog, "Exponential
    /// Backoff And Jitter"), so that clients that failed together do not come back together.
    ///
    /// - Parameters:
    ///   - now: The uptime.
    ///   - chance: A random number from 0 up to 1.
    mutating func pause(after failure: TintypeError, at now: Duration, chance: Double) -> Duration? {
        guard count < limits.maximumRetries, isTransient(failure) else { return nil }
        let longest = min(Self.firstPause * Double(1 << min(count, 20)), Self.longestPause)
        let pause = max(longest * chance, failure.s3?.retryAfter ?? .zero)
        guard now + pause < end else { return nil }
        count += 1
        return pause
    }

    private func isTransient(_ failure: TintypeError) -> Bool {
        switch failure.code {
        case .unreachable, .transport, .truncatedBody: true
        case .timedOut: limits.retriesTimeouts
        case .badStatus: failure.s3?.isTransient ?? false
        default: false
        }
    }
}
