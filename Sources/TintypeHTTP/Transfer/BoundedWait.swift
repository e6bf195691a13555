import TintypeCore

/// A wait for user code, which may hang and ignore cancellation. The wait ends in time and leaves the code running.
enum BoundedWait {
    /// Runs `work` in a task of its own, and returns its result.
    ///
    /// - Parameter limit: The longest wait; `nil` for no limit.
    /// - Throws: The error of `work`; ``TintypeCore/TintypeError/Code/timedOut`` after `limit`;
    ///   ``TintypeCore/TintypeError/Code/cancelled`` as soon as the waiting task is cancelled.
    static func wait<Value: Sendable>(
        _ limit: Duration?, _ clock: TransferClock, for work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let end = SharedPromise<Result<Value, any Error>>()
        let working = Task { end.fulfill(await Result { try await work() }) }
        let limiting = limit.map { limit in
            Task {
                try await clock.sleep(limit)
                end.fulfill(.failure(TimeLimit.exceeded(limit)))
            }
        }
        defer {
            working.cancel()
            limiting?.cancel()
        }
        return try await end.wait { .failure(TintypeError.cancelled) }.get()
    }
}

extension Result where Failure == any Error {
    fileprivate init(catching body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
