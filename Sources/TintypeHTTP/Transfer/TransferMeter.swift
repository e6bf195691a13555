import TintypeCore

/// Measures one transfer while it runs.
struct TransferMeter: ~Copyable, Sendable {
    // Not private: Swift 6.3 cannot compile a private type in a noncopyable one.
    struct State: Sendable {
        var metrics = TransferMetrics()
        /// The uptime at which the head of the last response arrived.
        var headTime: Duration
        /// The uptime at which the attempt got its slot.
        var attemptStart: Duration
    }

    private let uptime: @Sendable () -> Duration
    /// The uptime at which the transfer began.
    let start: Duration
    private let state: Locked<State>

    /// - Parameter start: The uptime at which the transfer began; `nil` for now.
    init(_ clock: TransferClock, start: Duration? = nil) {
        uptime = clock.uptime
        // Without a closure over a part of this value, which Swift 6.3 with the thread sanitizer destroys too early:
        // the operator ?? has one.
        let begin = if let start { start } else { clock.uptime() }
        self.start = begin
        state = Locked(State(headTime: begin, attemptStart: begin))
    }

    var now: Duration { uptime() }

    /// The uptime at which the attempt got its slot.
    var attemptStart: Duration { state.withLock { $0.attemptStart } }

    /// Adds the time since `start` to the time in the queue.
    func recordWait(since start: Duration) {
        let now = uptime()
        state.withLock { state in
            state.metrics.queued += now - start
            state.attemptStart = now
        }
    }

    /// Resets the measurements of the previous attempt.
    ///
    /// - Parameter number: 2 for the second attempt.
    func beginAttempt(_ number: Int) {
        let now = uptime()
        state.withLock { state in
            state.attemptStart = now
            state.metrics.attempts = number
            state.metrics.redirects = 0
            state.metrics.nameLookup = nil
            state.metrics.resumedBytes = 0
            state.metrics.wireBytes = 0
        }
    }

    func recordRedirect() {
        state.withLock { state in
            state.metrics.redirects += 1
            state.metrics.nameLookup = nil
        }
    }

    /// - Parameters:
    ///   - connection: The connection that carries the response; `nil` while it is unknown.
    ///   - sent: The uptime at which the request was sent.
    func recordHead(
        _ head: ResponseHead, over connection: TransportConnection?, isEncrypted: Bool, since sent: Duration
    ) {
        state.withLock { state in
            state.headTime = head.time
            state.metrics.firstByte = head.time - sent
            state.metrics.nameLookup = connection?.nameLookup
            state.metrics.connecting = connection?.connecting
            state.metrics.handshake = connection?.handshake
            state.metrics.roundTrip = connection?.roundTrip
            state.metrics.isConnectionReused = connection?.isReused
            state.metrics.httpVersion = head.head.version
            state.metrics.isEncrypted = isEncrypted
        }
    }

    /// - Parameter byteCount: The bytes of an interrupted transfer that were not requested again.
    func recordResumption(byteCount: Int) {
        state.withLock { $0.metrics.resumedBytes = byteCount }
    }

    /// - Parameter wireBytes: The bytes of the body that arrived, with their content coding.
    func recordBody(wireBytes: Int) {
        state.withLock { $0.metrics.wireBytes += wireBytes }
    }

    /// Returns the metrics of the finished transfer.
    ///
    /// - Parameter byteCount: The bytes of the body without its content coding.
    func finish(status: Int, byteCount: Int) -> TransferMetrics {
        let now = uptime()
        return state.withLock { state in
            state.metrics.status = status
            state.metrics.bodyBytes = byteCount
            state.metrics.body = now - state.headTime
            state.metrics.total = now - start
            return state.metrics
        }
    }
}

/// Limits how often the progress of one transfer is reported.
final class ProgressThrottle: Sendable {
    private let interval: Double
    private let reported = Locked<LoadProgress?>(nil)

    /// - Parameter interval: The fraction of the transfer between two reports, from 0 to 1.
    /// - Returns: `nil` when `interval` is 0, since every change is reported then.
    init?(interval: Double) {
        guard interval > 0 else { return nil }
        self.interval = interval
    }

    /// Whether to report this progress: the first, the last, and every one while the total is unknown.
    func allows(_ progress: LoadProgress) -> Bool {
        reported.withLock { reported in
            guard let now = progress.fraction, let before = reported?.fraction, now < 1, now >= before,
                now - before < interval
            else {
                reported = progress
                return true
            }
            return false
        }
    }
}
