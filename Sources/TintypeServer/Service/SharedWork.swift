import TintypeCore

/// Work that is done once however many requests wait for it. It is cancelled when the last of them has gone.
final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Running: Sendable {
        let task: Task<Value, Never>
        /// Distinguishes this work from a later one with the same key.
        let number: Int
        var waiterCount: Int
    }

    private struct State: Sendable {
        var running: [Key: Running] = [:]
        var lastNumber = 0
    }

    private let state = Locked(State())

    /// Returns the value of a key: that of the work that is running for it, or else of `make`.
    ///
    /// - Returns: The value, and whether it is that of another request's work.
    func value(
        for key: Key, _ make: @escaping @Sendable () async -> Value
    ) async -> (value: Value, isShared: Bool) {
        let (task, number, isShared) = state.withLock { state in
            if var running = state.running[key] {
                running.waiterCount += 1
                state.running[key] = running
                return (running.task, running.number, true)
            }
            state.lastNumber += 1
            let number = state.lastNumber
            let task = Task { [self] in
                let value = await make()
                end(key, number)
                return value
            }
            state.running[key] = Running(task: task, number: number, waiterCount: 1)
            return (task, number, false)
        }
        let value = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            leave(key, number)
        }
        return (value, isShared)
    }

    private func end(_ key: Key, _ number: Int) {
        state.withLock { if $0.running[key]?.number == number { $0.running[key] = nil } }
    }

    private func leave(_ key: Key, _ number: Int) {
        let abandoned = state.withLock { state -> Task<Value, Never>? in
            guard var running = state.running[key], running.number == number else { return nil }
            running.waiterCount -= 1
            // The next request for the key must not join work that ends as cancelled.
            state.running[key] = running.waiterCount > 0 ? running : nil
            return running.waiterCount > 0 ? nil : running.task
        }
        abandoned?.cancel()
    }
}
