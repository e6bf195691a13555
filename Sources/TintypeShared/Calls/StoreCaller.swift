import Dispatch
import Logging
import TintypeCore

/// Calls a store: never while its breaker is open, and never for longer than a limit, even if the store ignores
/// cancellation.
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
        /// The number of calls that have not returned, including those that nobody waits for any more.
        var running = 0
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
    /// - Parameter limit: The longest wait.
    /// - Returns: A failure with ``TintypeError/Code/timedOut`` after the limit, and with
    ///   ``TintypeError/Code/cancelled`` as soon as the waiting task is cancelled.
    func call<Value: Sendable>(
        _ limit: Duration, _ body: @escaping @Sendable () async throws(TintypeError) -> Value
    ) async -> Result<Value> {
        guard let permit = begin() else { return .skipped }
        let end = SharedPromise<Swift.Result<Value, TintypeError>>()
        let call = Task {
            end.fulfill(await Self.result(of: body))
            self.end()
        }
        let timer = Task { [clock] in
            // Throws when the call has ended first.
            try await clock.sleep(limit)
            end.fulfill(.failure(Self.exceeded(limit)))
        }
        let result = await end.wait { .failure(.cancelled) }
        timer.cancel()
        if case .failure = result { call.cancel() }
        return report(result, of: permit, isCancelled: Task.isCancelled)
    }

    /// Calls the store, and blocks the calling thread until it has answered, at most for a limit.
    ///
    /// A deadlock is impossible, whatever the calling thread is:
    /// - the wait ends after the limit, even if nothing else moves;
    /// - the call runs on ``CallThreads`` and not on Swift's cooperative threads, so it proceeds even if all of those
    ///   wait here. They should not: the pipeline reads caches on threads of its own;
    /// - the threads of ``CallThreads`` wait for nothing: they run the parts of tasks between two suspensions.
    func blockingCall<Value: Sendable>(
        _ limit: Duration, _ body: @escaping @Sendable () async throws(TintypeError) -> Value
    ) -> Result<Value> {
        guard let permit = begin() else { return .skipped }
        let answer = Answer<Value>()
        let call = Task.detached(executorPreference: CallThreads.shared) {
            answer.arrive(await Self.result(of: body))
            self.end()
        }
        let result = answer.wait(limit) ?? .failure(Self.exceeded(limit))
        // Without effect if the call has ended.
        call.cancel()
        return report(result, of: permit, isCancelled: false)
    }

    /// The answer that a blocked thread waits for.
    private final class Answer<Value: Sendable>: Sendable {
        private let result = Locked<Swift.Result<Value, TintypeError>?>(nil)
        private let arrival = DispatchSemaphore(value: 0)

        func arrive(_ result: Swift.Result<Value, TintypeError>) {
            self.result.withLock { $0 = result }
            arrival.signal()
        }

        /// Blocks the calling thread. `nil` if the answer has not arrived after `limit`.
        func wait(_ limit: Duration) -> Swift.Result<Value, TintypeError>? {
            // At most a day, so that the sum below cannot overflow.
            let (seconds, attoseconds) = min(max(limit, .zero), .seconds(86_400)).components
            let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
            guard arrival.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success else { return nil }
            return result.withLock { $0 }
        }
    }

    private static func result<Value: Sendable>(
        of body: @Sendable () async throws(TintypeError) -> Value
    ) async -> Swift.Result<Value, TintypeError> {
        do throws(TintypeError) { return .success(try await body()) } catch { return .failure(error) }
    }

    private static func exceeded(_ limit: Duration) -> TintypeError {
        TintypeError(.timedOut, stage: .disk, "the shared store has not answered within \(limit)")
    }

    // MARK: Breaker

    private func begin() -> CircuitBreaker.Permit? {
        state.withLock { [now = clock.time.uptime()] state in
            guard state.running < Self.maximumCalls, let permit = state.breaker.permit(at: now) else { return nil }
            state.running += 1
            return permit
        }
    }

    private func end() {
        state.withLock { $0.running -= 1 }
    }

    private func report<Value: Sendable>(
        _ result: Swift.Result<Value, TintypeError>, of permit: CircuitBreaker.Permit, isCancelled: Bool
    ) -> Result<Value> {
        switch result {
        case .success(let value):
            report(.success, of: permit, nil)
            return .success(value)
        case .failure(let error):
            report(isCancelled && error.code == .cancelled ? .unknown : .failure, of: permit, error)
            return .failure(error)
        }
    }

    private func report(_ outcome: CircuitBreaker.Outcome, of permit: CircuitBreaker.Permit, _ error: TintypeError?) {
        let (now, random) = (clock.time.uptime(), clock.random())
        let (before, after) = state.withLock { state in
            let before = state.breaker.state(at: now)
            state.breaker.report(outcome, of: permit, at: now, random: random)
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

/// Threads for the calls that a blocked thread waits for.
private final class CallThreads: TaskExecutor {
    static let shared = CallThreads()

    /// Not a queue of Dispatch: a concurrent one shares its threads with Swift's cooperative pool.
    private let queue = WorkQueue(name: "tintype.shared", width: 2)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.enqueue(at: .high) { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
