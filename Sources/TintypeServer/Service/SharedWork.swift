import TintypeCore

/// Work that is done once however many requests wait for it. It is cancelled when the last of them has gone.
final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Running: Sendable {
        let task: Task<Ended, Never>
        /// Distinguishes this work from a later one with the same key.
        let number: Int
        var waiterCount: Int
    }

    private struct Ended: Sendable {
        let value: Value
        /// Whether a pause has ended the work before its time.
        let isInterrupted: Bool
    }

    private struct State: Sendable {
        var running: [Key: Running] = [:]
        var lastNumber = 0
        /// The keys for which no work begins, and what ends that.
        var paused: [Key: SharedPromise<Void>] = [:]
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
                let ended = await withTaskCancellationHandler {
                    await running.task.value
                } onCancel: {
                    leave(key, running.number)
                }
                // A request that has gone needs no value.
                if !ended.isInterrupted || Task.isCancelled { return (ended.value, isShared) }
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
            return Ended(value: value, isInterrupted: end(key, number))
        }
        let running = Running(task: task, number: number, waiterCount: 1)
        state.running[key] = running
        return .running(running, isShared: false)
    }

    /// Ends work. Returns whether a pause has ended it before.
    private func end(_ key: Key, _ number: Int) -> Bool {
        state.withLock { state in
            guard state.running[key]?.number == number else { return state.paused[key] != nil }
            state.running[key] = nil
            return false
        }
    }

    private func leave(_ key: Key, _ number: Int) {
        let abandoned = state.withLock { state -> Task<Ended, Never>? in
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
        let task = state.withLock { $0.running.removeValue(forKey: key)?.task }
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
}
