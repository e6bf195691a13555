import Logging
import TintypeCore

/// Calls a store: never while its breaker is open, and never for longer than a limit, even if the store ignores
/// cancellation.
///
/// A caller that waits for less than that, by ``CallTime/wait``, leaves earlier. The call goes on without it, so that
/// the caller learns how long the store takes now, and whether a probe succeeds.
final class StoreCaller: Sendable {
    /// The result of a call.
    enum Result<Value: Sendable>: Sendable {
        case success(Value)
        case failure(TintypeError)
        /// The store was not called: its breaker is open, or too many calls have not returned.
        case skipped
    }

    private struct State: Sendable {
        var breaker = CircuitBreaker()
        var estimate = WaitEstimate()
        /// The number of calls that have not returned, including those that nobody waits for any more.
        var running = 0

        /// Returns how long the caller of a permitted call waits, within bounds, or for less than their lower one if
        /// the store probably does not answer.
        func wait(of permit: CircuitBreaker.Permit, in bounds: ClosedRange<Duration>) -> Duration {
            let least = bounds.lowerBound / 5
            // The store has probably not come back, so a probe goes on without its caller soon.
            if permit.isProbe { return least }
            // The first call without an answer costs its caller the whole wait, the next ones what they usually take.
            return estimate.wait(in: breaker.isDoubtful ? least...bounds.lowerBound : bounds)
        }
    }

    /// The bound on calls that have not returned. It bounds the memory of calls that a store never ends.
    static let maximumCalls = 512

    private let name: String
    private let clock: StoreClock
    private let state = Locked(State())
    private static let logger = Logger(label: "tintype.shared")

    /// - Parameter name: The name of the store, for logs.
    init(_ name: String, _ clock: StoreClock) {
        self.name = name
        self.clock = clock
    }

    /// The state of the breaker.
    var breakerState: BreakerState {
        state.withLock { [now = clock.time.uptime()] in $0.breaker.state(at: now) }
    }

    /// Calls the store and waits without blocking.
    ///
    /// - Returns: A failure with `TintypeError.Code.timedOut` after the time, and with
    ///   `TintypeError.Code.cancelled` as soon as the waiting task is cancelled.
    func call<Value: Sendable>(
        _ time: CallTime, _ body: @escaping @Sendable () async throws(TintypeError) -> Value
    ) async -> Result<Value> {
        guard let call = begin(time) else { return .skipped }
        let answer = SharedPromise<Swift.Result<Value, TintypeError>?>()
        let run = Task { await self.run(call, body) { answer.fulfill($0) } }
        let timer = leavingTimer(call) { answer.fulfill(nil) }
        let result = await answer.wait { .failure(.cancelled) }
        timer?.cancel()
        switch result {
        case .success(let value): return .success(value)
        case .failure(let error):
            if Task.isCancelled, error.code == .cancelled { report(.unknown, of: call) }
            // Without effect if the call has ended.
            run.cancel()
            return .failure(error)
        case nil: return .failure(leave(call))
        }
    }

    /// Calls the store, and blocks the calling thread until it has answered, at most for the time.
    ///
    /// A deadlock is impossible, whatever the calling thread is:
    /// - the wait ends after the time, even if nothing else moves;
    /// - the call runs on ``CallThreads`` and not on Swift's cooperative threads, so it proceeds even if all of those
    ///   wait here. They should not: the pipeline reads caches on threads of its own;
    /// - the threads of ``CallThreads`` wait for nothing: they run the parts of tasks between two suspensions.
    func blockingCall<Value: Sendable>(
        _ time: CallTime, _ body: @escaping @Sendable () async throws(TintypeError) -> Value
    ) -> Result<Value> {
        guard let call = begin(time) else { return .skipped }
        let answer = BlockingAnswer<Swift.Result<Value, TintypeError>>()
        let run = Task.detached(executorPreference: CallThreads.shared) {
            await self.run(call, body) { answer.arrive($0) }
        }
        switch answer.wait(call.wait) {
        case .success(let value): return .success(value)
        case .failure(let error): return .failure(error)
        case nil:
            guard call.wait >= call.limit else { return .failure(leave(call)) }
            let error = Self.exceeded(call.limit)
            report(.timeout, of: call, error)
            run.cancel()
            return .failure(error)
        }
    }

    // MARK: One call

    /// A call that was permitted.
    private final class Call: Sendable {
        let permit: CircuitBreaker.Permit
        let start: Duration
        /// The longest time of the call.
        let limit: Duration
        /// The longest wait of the caller.
        let wait: Duration
        /// Whether calls of this kind are waited for by what earlier ones have taken.
        let isMeasured: Bool
        let isReported = Locked(false)

        init(_ permit: CircuitBreaker.Permit, _ start: Duration, _ time: CallTime, wait: Duration) {
            (self.permit, self.start, self.wait) = (permit, start, wait)
            (limit, isMeasured) = (time.limit, time.wait != nil)
        }
    }

    /// What happens first in a call.
    private enum CallEvent<Value: Sendable>: Sendable {
        case ended(Swift.Result<Value, TintypeError>)
        case expired
        case cancelled
    }

    private func begin(_ time: CallTime) -> Call? {
        state.withLock { [now = clock.time.uptime()] state in
            guard state.running < Self.maximumCalls, let permit = state.breaker.permit(at: now) else { return nil }
            state.running += 1
            let wait = time.wait.map { min(state.wait(of: permit, in: $0), time.limit) }
            return Call(permit, now, time, wait: wait ?? time.limit)
        }
    }

    /// Makes a call, and delivers its result, or a failure when its limit has passed. Returns when it has ended.
    private func run<Value: Sendable>(
        _ call: Call, _ body: @escaping @Sendable () async throws(TintypeError) -> Value,
        _ deliver: @Sendable (Swift.Result<Value, TintypeError>) -> Void
    ) async {
        await withTaskGroup(of: CallEvent<Value>.self) { group in
            group.addTask {
                do throws(TintypeError) { return .ended(.success(try await body())) } catch {
                    return .ended(.failure(error))
                }
            }
            group.addTask { [clock] in
                do { try await clock.sleep(call.limit) } catch { return .cancelled }
                return .expired
            }
            for await event in group {
                switch event {
                case .ended(.success(let value)):
                    succeed(call)
                    deliver(.success(value))
                case .ended(.failure(let error)):
                    report(error.code == .timedOut ? .timeout : .failure, of: call, error)
                    deliver(.failure(error))
                case .expired:
                    let error = Self.exceeded(call.limit)
                    report(.timeout, of: call, error)
                    deliver(.failure(error))
                case .cancelled: continue
                }
                group.cancelAll()
            }
        }
        state.withLock { $0.running -= 1 }
    }

    /// Calls a function when the caller's patience ends before the call must have ended.
    private func leavingTimer(_ call: Call, _ body: @escaping @Sendable () -> Void) -> Task<Void, any Error>? {
        guard call.wait < call.limit else { return nil }
        return Task { [clock] in
            // Throws when the call has ended first.
            try await clock.sleep(call.wait)
            body()
        }
    }

    /// Ends the wait for a call, which goes on.
    private func leave(_ call: Call) -> TintypeError {
        let error = Self.exceeded(call.wait)
        if !call.permit.isProbe { report(.timeout, of: call, error) }
        return error
    }

    private static func exceeded(_ limit: Duration) -> TintypeError {
        TintypeError(.timedOut, stage: .disk, "the shared store has not answered within \(limit)")
    }

    // MARK: Breaker

    private func succeed(_ call: Call) {
        if call.isMeasured {
            state.withLock { [now = clock.time.uptime()] in $0.estimate.record(now - call.start) }
        }
        report(.success, of: call)
    }

    /// Reports the outcome of a call; only the first one counts.
    private func report(_ outcome: CircuitBreaker.Outcome, of call: Call, _ error: TintypeError? = nil) {
        let isFirst = call.isReported.withLock { isReported in
            defer { isReported = true }
            return !isReported
        }
        guard isFirst else { return }
        let (now, random) = (clock.time.uptime(), clock.random())
        let (before, after) = state.withLock { state in
            let before = state.breaker.state(at: now)
            state.breaker.report(outcome, of: call.permit, at: now, random: random)
            return (before, state.breaker.state(at: now))
        }
        switch (before, after) {
        case (.closed, .open):
            Self.logger.warning(
                "the shared store is not used for a while: \(error.map { "\($0)" } ?? "it fails too often")",
                metadata: ["store": "\(name)"])
        case (.halfOpen, .closed):
            Self.logger.notice("the shared store answers again", metadata: ["store": "\(name)"])
        default: break
        }
    }
}

/// How long a call of a store may take, and how long its caller waits for it.
struct CallTime: Sendable {
    /// The longest time of the call.
    var limit: Duration
    /// The bounds of the wait, within which a ``WaitEstimate`` decides; less for a store that probably does not answer.
    /// `nil` waits until the call has ended.
    var wait: ClosedRange<Duration>?
}
