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
        /// The keys for which no work begins, and what ends that.
        var paused: [Key: SharedPromise<Void>] = [:]
        /// The work that a pause has ended, as long as requests wait for it.
        var ended: [Int: Int] = [:]
    }

    private let state = Locked(State())

    /// Returns the value of a key: that of the work that is running for it, or else of `make`. If a pause ends that,
    /// it begins again afterwards.
    ///
    /// - Returns: The value, and whether it is that of another request's work.
    func value(
        for key: Key, _ make: @escaping @Sendable () async -> Value
    ) async -> (value: Value, isShared: Bool) {
        while true {
            switch state.withLock({ join(key, &$0, make) }) {
            case .paused(let end): await end.wait { nil }
            case .running(let running, let isShared):
                let value = await withTaskCancellationHandler {
                    await running.task.value
                } onCancel: {
                    leave(key, running.number)
                }
                if !wasEnded(running.number) { return (value, isShared) }
            }
        }
    }

    private enum Joined {
        case running(Running, isShared: Bool)
        case paused(SharedPromise<Void>)
    }

    private func join(_ key: Key, _ state: inout State, _ make: @escaping @Sendable () async -> Value) -> Joined {
        if let end = state.paused[key] { return .paused(end) }
        if var running = state.running[key] {
            running.waiterCount += 1
            state.running[key] = running
            return .running(running, isShared: true)
        }
        state.lastNumber += 1
        let number = state.lastNumber
        let task = Task { [self] in
            let value = await make()
            end(key, number)
            return value
        }
        let running = Running(task: task, number: number, waiterCount: 1)
        state.running[key] = running
        return .running(running, isShared: false)
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

    // MARK: Pauses

    /// Ends the work of a key, runs `body`, and lets the work begin again if requests wait for it. Meanwhile, no work
    /// begins for the key.
    func pausing(_ key: Key, _ body: () async -> Void) async {
        let end = SharedPromise<Void>()
        while let other = state.withLock({ pause(key, until: end, &$0) }) { await other.wait { nil } }
        let task = state.withLock { state -> Task<Value, Never>? in
            guard let running = state.running.removeValue(forKey: key) else { return nil }
            state.ended[running.number] = running.waiterCount
            return running.task
        }
        task?.cancel()
        _ = await task?.value
        await body()
        state.withLock { $0.paused[key] = nil }
        end.fulfill(())
    }

    /// Pauses a key. Returns the pause that must end first, if there is one.
    private func pause(_ key: Key, until end: SharedPromise<Void>, _ state: inout State) -> SharedPromise<Void>? {
        if let other = state.paused[key] { return other }
        state.paused[key] = end
        return nil
    }

    /// Returns whether a pause has ended the work for which a request waited.
    private func wasEnded(_ number: Int) -> Bool {
        state.withLock { state in
            guard let count = state.ended[number] else { return false }
            state.ended[number] = count > 1 ? count - 1 : nil
            return true
        }
    }
}
