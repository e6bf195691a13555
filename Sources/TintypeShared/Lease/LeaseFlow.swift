/// Decides what a machine does to make a result once on all machines: the steps of a ``LeasedComputation``.
///
/// The machine that gets the lease computes. Others look for the result after 20, 40, 80, 160, 200, 200 … ms, with
/// jitter, until the lease must have ended or half of their own time is over; then they compute as well. Equal keys
/// give equal results, so doing the work twice is harmless, and no failure of a store makes anyone wait.
///
/// A pure value: the caller passes the time and the random numbers.
struct LeaseFlow: Sendable {
    /// The next step of the machine.
    enum Step: Sendable, Equatable {
        /// Ask for the lease.
        case acquire
        /// Look for the result, or for the reason why there will be none.
        case look
        /// Wait, then ``Event/waited``.
        case wait(Duration)
        /// Compute. The machine has the lease if `isLeased`, and then stores its result for the others.
        case compute(isLeased: Bool)
    }

    /// The outcome of the last step. A result that was found ends the flow, and is no event.
    enum Event: Sendable {
        /// This machine has the lease.
        case acquired
        /// Another machine has the lease.
        case held
        /// The store has failed, or the result cannot be shared.
        case unavailable
        /// There is no result yet.
        case nothing
        /// The holder of the lease has given up. Another machine should try.
        case abandoned
        /// The wait is over.
        case waited
    }

    private let end: Duration
    private var isLeased = false
    private var nextDelay = Self.firstDelay
    /// Whether the machine computes because it has waited long enough.
    private(set) var hasGivenUp = false

    static let firstDelay = Duration.milliseconds(20)
    static let longestDelay = Duration.milliseconds(200)
    /// The largest change of a delay at random, as a part of it.
    static let jitter = 0.25

    /// Creates a flow that begins with ``Step/acquire``.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - leaseTime: How long a lease lasts.
    ///   - deadline: How long the machine has until its result is useless; `nil` if that is not known.
    init(at now: Duration, leaseTime: Duration, deadline: Duration?) {
        end = now + min(leaseTime, deadline.map { $0 / 2 } ?? leaseTime)
    }

    /// Returns the next step.
    ///
    /// - Parameter random: A random number from 0 up to 1, for the jitter of a delay.
    mutating func step(after event: Event, at now: Duration, random: Double) -> Step {
        switch event {
        case .acquired:
            isLeased = true
            // The last holder may have stored its result just before this machine got the lease.
            return .look
        case .unavailable: return .compute(isLeased: isLeased)
        case .waited: return .look
        case .nothing, .abandoned, .held:
            guard !isLeased else { return .compute(isLeased: true) }
            guard now < end else {
                hasGivenUp = true
                return .compute(isLeased: false)
            }
            if case .abandoned = event { return .acquire }
            return .wait(takeDelay(at: now, random))
        }
    }

    private mutating func takeDelay(at now: Duration, _ random: Double) -> Duration {
        let delay = nextDelay.jittered(by: Self.jitter, random)
        nextDelay = min(nextDelay * 2, Self.longestDelay)
        return min(delay, end - now)
    }
}
