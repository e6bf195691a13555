import TintypeCore

/// Ends work that takes too long.
enum TimeLimit {
    /// - Throws: ``TintypeCore/TintypeError/Code/timedOut`` after `limit`, when the work has heeded that it is cancelled.
    static func run<Value: Sendable>(
        _ limit: Duration, _ clock: TransferClock, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value.self) { group in
            group.addTask { try await work() }
            group.addTask {
                try await clock.sleep(limit)
                throw exceeded(limit)
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw TintypeError.cancelled }
            return first
        }
    }

    static func exceeded(_ limit: Duration) -> TintypeError {
        TintypeError(.timedOut, stage: .load, "not whole within \(limit)")
    }
}
