/// Decides when a client is too slow: it has to send a request, and to read a response, at a certain pace.
///
/// A pure value: the time is an argument, on a monotonic clock. It does not watch connections on which no request
/// arrives, which have a time-out of their own.
struct ConnectionPace: Hashable, Sendable {
    /// The time in which a request must arrive, from its first byte to the end of its body.
    let readLimit: Duration
    /// The longest time in which the client reads nothing of what it was sent.
    let writeLimit: Duration
    /// When the request that arrives began; `nil` if none arrives.
    private var readStart: Duration?
    /// The number of parts of responses that are not yet handed over to the system.
    private var unsentCount = 0
    /// When the last of them was handed over, or the first one was written.
    private var lastProgress = Duration.zero

    /// Begins with a new connection.
    init(readLimit: Duration, writeLimit: Duration) {
        (self.readLimit, self.writeLimit) = (readLimit, writeLimit)
    }

    /// Bytes of a request have arrived.
    mutating func received(at now: Duration) { if readStart == nil { readStart = now } }

    /// A request has arrived as a whole.
    mutating func requestEnded() { readStart = nil }

    /// A part of a response was written.
    mutating func wrote(at now: Duration) {
        if unsentCount == 0 { lastProgress = now }
        unsentCount += 1
    }

    /// A part of a response was handed over to the system, whose buffers hold some more.
    mutating func sent(at now: Duration) {
        unsentCount = max(0, unsentCount - 1)
        lastProgress = now
    }

    /// When the client is too slow unless something happens; `nil` if nothing is expected of it.
    var deadline: Duration? {
        let read = readStart.map { $0 + readLimit }
        let write = unsentCount > 0 ? lastProgress + writeLimit : nil
        guard let read, let write else { return read ?? write }
        return min(read, write)
    }

    /// Whether the client is too slow.
    func isExceeded(at now: Duration) -> Bool { deadline.map { now >= $0 } ?? false }
}
