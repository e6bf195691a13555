import TintypeCore

/// A wait for user code, which may hang and ignore cancellation. The wait ends in time and abandons the work.
final class BoundedWait<Value: Sendable>: Sendable {
    private struct State: Sendable {
        var end: Result<Value, any Error>?
        var waiter: CheckedContinuation<Value, any Error>?
    }

    private let state = Locked(State())

    private init() {}

    /// Runs `work` in a task of its own, and returns its result.
    ///
    /// - Parameter limit: the longest wait; `nil` for no limit.
    /// - Throws: the error of `work`; ``TintypeCore/TintypeError/Code/timedOut`` after `limit`;
    ///   ``TintypeCore/TintypeError/Code/cancelled`` as soon as the waiting task is cancelled.
    static func wait(
        _ limit: Duration?, _ clock: TransferClock, for work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let wait = BoundedWait()
        let working = Task { wait.finish(await Result { try await work() }) }
        let limiting = limit.map { limit in
            Task {
                try await clock.sleep(limit)
                wait.finish(.failure(TimeLimit.exceeded(limit)))
            }
        }
        defer {
            working.cancel()
            limiting?.cancel()
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait.register($0) }
        } onCancel: {
            wait.finish(.failure(TintypeError.cancelled))
        }
    }

    private func register(_ waiter: CheckedContinuation<Value, any Error>) {
        let end = state.withLock { state in
            if state.end == nil { state.waiter = waiter }
            return state.end
        }
        if let end { waiter.resume(with: end) }
    }

    /// Ends the wait. Only the first end counts.
    private func finish(_ end: Result<Value, any Error>) {
        let waiter = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            guard state.end == nil else { return nil }
            state.end = end
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(with: end)
    }
}

extension Result where Failure == any Error {
    fileprivate init(catching body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
