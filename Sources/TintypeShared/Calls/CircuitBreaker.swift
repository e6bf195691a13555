/// Decides whether a store is called, by the outcomes of earlier calls.
///
/// While the breaker is closed, calls are made. It opens after ``failuresInARow`` failures or ``timeoutsInARow``
/// time-outs, or when more than half of the last ``windowSize`` calls have failed. While it is open, no call is made.
/// Then one call is made as a probe: if it succeeds, the breaker closes; if it fails, the breaker opens for twice as
/// long as before, up to ``longestPause``.
///
/// A pure value: the caller passes the time and the random numbers.
struct CircuitBreaker: Sendable {
    /// The permission to make one call. Its outcome must be reported once: see ``report(_:of:at:random:)``.
    struct Permit: Sendable, Equatable {
        /// The number of changes of state before the call began. Outcomes of calls that began earlier than the last
        /// change say nothing about the store now.
        fileprivate let epoch: Int
        /// Whether the call finds out whether the store works again. Its outcome is known when it has ended, not when
        /// its caller has left.
        let isProbe: Bool
    }

    /// The outcome of a call.
    enum Outcome: Sendable {
        case success
        case failure
        /// The store has not answered in time. Each such call costs its caller that time.
        case timeout
        /// The caller has cancelled the call, or has not made it.
        case unknown
    }

    /// The number of failures in a row that opens the breaker.
    static let failuresInARow = 5
    /// The number of time-outs in a row that opens the breaker.
    static let timeoutsInARow = 3
    /// The number of last calls of which no more than half may fail.
    static let windowSize = 20
    /// The first pause.
    static let shortestPause = Duration.seconds(1)
    /// The bound on pauses.
    static let longestPause = Duration.seconds(30)
    /// How long a probe may take. After that, another call may probe.
    static let longestProbe = Duration.seconds(30)

    private enum Phase: Sendable {
        case closed
        case open(until: Duration)
        case probing(until: Duration)
    }

    private var phase = Phase.closed
    private var epoch = 0
    /// The outcomes of the last calls, the newest in the lowest bit. A failure is 1.
    private var outcomes: UInt32 = 0
    private var outcomeCount = 0
    private var failureRun = 0
    private var timeoutRun = 0
    /// The last pause without jitter; `nil` while the breaker is closed.
    private var pause: Duration?

    /// Returns a permission to make a call; `nil` if none must be made.
    mutating func permit(at now: Duration) -> Permit? {
        switch phase {
        case .closed: return Permit(epoch: epoch, isProbe: false)
        case .open(let end), .probing(let end):
            guard now >= end else { return nil }
            enter(.probing(until: now + Self.longestProbe))
            return Permit(epoch: epoch, isProbe: true)
        }
    }

    /// Reports the outcome of a call.
    ///
    /// - Parameter random: A random number from 0 up to 1, for the jitter of a pause.
    mutating func report(_ outcome: Outcome, of permit: Permit, at now: Duration, random: Double) {
        guard permit.epoch == epoch else { return }
        switch (phase, outcome) {
        case (.open, _), (.closed, .unknown): break
        case (.probing, .unknown): enter(.open(until: now))
        case (.probing, .success): close()
        case (.probing, .failure), (.probing, .timeout): open(at: now, random)
        case (.closed, _):
            record(outcome)
            if failureRun >= Self.failuresInARow || timeoutRun >= Self.timeoutsInARow || failsTooOften {
                open(at: now, random)
            }
        }
    }

    /// The state, for health reports.
    func state(at now: Duration) -> BreakerState {
        switch phase {
        case .closed: .closed
        case .open(let end): now < end ? .open : .halfOpen
        case .probing: .halfOpen
        }
    }

    /// Whether the newest call has not been answered in time, though the breaker is still closed.
    var isDoubtful: Bool {
        if case .closed = phase { timeoutRun > 0 } else { false }
    }

    private var failsTooOften: Bool {
        outcomeCount == Self.windowSize && outcomes.nonzeroBitCount * 2 > Self.windowSize
    }

    private mutating func record(_ outcome: Outcome) {
        let isFailure = outcome != .success
        outcomes = (outcomes << 1 | (isFailure ? 1 : 0)) & (1 << UInt32(Self.windowSize) - 1)
        outcomeCount = min(outcomeCount + 1, Self.windowSize)
        failureRun = isFailure ? failureRun + 1 : 0
        timeoutRun = outcome == .timeout ? timeoutRun + 1 : 0
    }

    private mutating func close() {
        (outcomes, outcomeCount, failureRun, timeoutRun, pause) = (0, 0, 0, 0, nil)
        enter(.closed)
    }

    private mutating func open(at now: Duration, _ random: Double) {
        let next = pause.map { min($0 * 2, Self.longestPause) } ?? Self.shortestPause
        pause = next
        enter(.open(until: now + next.jittered(by: 0.1, random)))
    }

    private mutating func enter(_ phase: Phase) {
        self.phase = phase
        epoch += 1
    }
}

/// The state of the circuit breaker of a store.
public enum BreakerState: String, Sendable, CaseIterable {
    /// The store is called.
    case closed
    /// The store has failed and is not called.
    case open
    /// The next call, or one that is running, decides whether the store is used again.
    case halfOpen = "half-open"
}

extension Duration {
    /// Returns the duration lengthened or shortened by a random part of it.
    ///
    /// - Parameters:
    ///   - part: The largest change, as a part of the duration.
    ///   - random: A random number from 0 up to 1.
    func jittered(by part: Double, _ random: Double) -> Duration {
        self * (1 + part * (2 * random - 1))
    }
}
