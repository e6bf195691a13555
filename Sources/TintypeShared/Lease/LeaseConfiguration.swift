/// The settings of a ``LeasedComputation``.
public struct LeaseConfiguration: Sendable {
    /// How long a lease lasts; by default 5 seconds. Choose about twice the time that nearly all computations take:
    /// when a machine dies, the others wait for this long.
    public var leaseTime = Duration.seconds(5)

    /// How long a failure is remembered for other machines; by default 5 seconds.
    public var failureTime = Duration.seconds(5)

    /// The longest time of one call of the store of leases; by default 250 milliseconds.
    public var callLimit = Duration.milliseconds(250)

    /// The bounds of the wait for such a call, by default 50 to 250 milliseconds. Within them it depends on how long
    /// the last calls have taken. Without an answer, the machine computes at once.
    public var callWait = Duration.milliseconds(50)...Duration.milliseconds(250)

    /// Creates the default settings.
    public init() {}

    var callTime: CallTime { CallTime(limit: callLimit, wait: callWait) }
}

/// The counters of a ``LeasedComputation`` since it was created, and its current state.
public struct LeaseStats: Hashable, Sendable {
    /// Computations with a lease.
    public internal(set) var leased = 0
    /// Results that another machine has computed.
    public internal(set) var shared = 0
    /// Failures that another machine has had.
    public internal(set) var sharedFailures = 0
    /// Computations without a lease, because waiting took too long.
    public internal(set) var impatient = 0
    /// Computations without a lease, because the store failed or the result could not be shared.
    public internal(set) var unleased = 0
    /// The state of the circuit breaker of the store of leases.
    public internal(set) var breaker = BreakerState.closed
}
