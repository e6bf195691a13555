import TintypeCore

/// Measures one transfer as it goes.
struct TransferMeter: ~Copyable, Sendable {
    // Not private: Swift 6.3 cannot compile that within what cannot be copied.
    struct State: Sendable {
        var metrics = TransferMetrics()
        var head: Duration
    }

    private let uptime: @Sendable () -> Duration
    /// When it began.
    let start: Duration
    private let state: Locked<State>

    init(_ clock: TransferClock) {
        uptime = clock.uptime
        start = uptime()
        state = Locked(State(head: start))
    }

    /// Counts a wait for a place.
    func queued(since: Duration) {
        let now = uptime()
        state.withLock { $0.metrics.queued += now - since }
    }

    var now: Duration { uptime() }

    /// Takes down the head of a response, which came at `time`.
    func answered(_ answer: Answer, at time: Duration, since: Duration) {
        state.withLock { state in
            state.head = time
            state.metrics.firstByte = time - since
            state.metrics.connecting = answer.connection?.connecting
            state.metrics.isConnectionReused = answer.connection?.isReused
            state.metrics.httpVersion = answer.version
            state.metrics.isEncrypted = answer.isEncrypted
        }
    }

    func redirected() {
        state.withLock { $0.metrics.redirects += 1 }
    }

    func resumed(_ count: Int) {
        state.withLock { $0.metrics.resumedBytes = count }
    }

    func received(wireBytes: Int) {
        state.withLock { $0.metrics.wireBytes += wireBytes }
    }

    /// Begins another try: what was measured of the last one counts no more.
    func beginAgain(attempt: Int) {
        state.withLock { state in
            state.metrics.attempts = attempt
            state.metrics.redirects = 0
            state.metrics.resumedBytes = 0
            state.metrics.wireBytes = 0
        }
    }

    func finish(status: Int, byteCount: Int) -> TransferMetrics {
        let now = uptime()
        return state.withLock { state in
            state.metrics.status = status
            state.metrics.bodyBytes = byteCount
            state.metrics.body = now - state.head
            state.metrics.total = now - start
            return state.metrics
        }
    }

    /// What is known of a response when its head is there.
    struct Answer: Sendable {
        let version: String
        let isEncrypted: Bool
        let connection: ConnectionLog.Use?
    }
}

/// Lets progress be told only when it has come a certain part further.
final class ProgressGate: Sendable {
    private let minimum: Double
    private let told = Locked<LoadProgress?>(nil)

    /// `nil` where everything is told.
    init?(minimum: Double) {
        guard minimum > 0 else { return nil }
        self.minimum = minimum
    }

    /// The first and the last are always told, and everything where the end is not known.
    func passes(_ progress: LoadProgress) -> Bool {
        told.withLock { told in
            guard let now = progress.fraction, let before = told?.fraction, now < 1, now >= before,
                now - before < minimum
            else {
                told = progress
                return true
            }
            return false
        }
    }
}
