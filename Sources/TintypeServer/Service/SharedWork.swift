import TintypeCore

/// Work that is done once however many requests wait for it. It is cancelled when the last of them has gone.
final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Running: Sendable {
        let task: Task<Void, Never>
        let end: SharedPromise<Ended>
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
        /// The keys for which no work begins, and what ends that; `nil` for none.
        var pause: Pause?
    }

    private struct Pause: Sendable {
        let contains: @Sendable (Key) -> Bool
        let end: SharedPromise<Void>
    }

    private let state = Locked(State())
    private let abandoned: Value

    /// - Parameter abandoned: What a request gets that is cancelled while it waits.
    init(abandoned: Value) {
        self.abandoned = abandoned
    }

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
                let ended = await running.end.wait {
                    leave(key, running.number)
                    return Ended(value: abandoned, isInterrupted: false)
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
        if let pause = state.pause, pause.contains(key) { return .paused(pause.end) }
        if var running = state.running[key] {
            running.waiterCount += 1
            state.running[key] = running
            return .running(running, isShared: true)
        }
        state.lastNumber += 1
        let (number, promise) = (state.lastNumber, SharedPromise<Ended>())
        let task = Task { [self] in
            let value = await make()
            promise.fulfill(Ended(value: value, isInterrupted: end(key, number)))
        }
        let running = Running(task: task, end: promise, number: number, waiterCount: 1)
        state.running[key] = running
        return .running(running, isShared: false)
    }

    /// Ends work. Returns whether a pause has ended it before.
    private func end(_ key: Key, _ number: Int) -> Bool {
        state.withLock { state in
            guard state.running[key]?.number == number else { return state.pause?.contains(key) ?? false }
            state.running[key] = nil
            return false
        }
    }

    private func leave(_ key: Key, _ number: Int) {
        let abandoned = state.withLock { state -> Task<Void, Never>? in
            guard var running = state.running[key], running.number == number else { return nil }
            running.waiterCount -= 1
            // The next request for the key must not join work that ends as cancelled.
            state.running[key] = running.waiterCount > 0 ? running : nil
            return running.waiterCount > 0 ? nil : running.task
        }
        abandoned?.cancel()
    }

    // MARK: Pauses

    /// Ends the work of some keys, runs `body`, and lets the work begin again if requests wait for it. Meanwhile, no
    /// work begins for these keys. Pauses follow each other.
    func pausing(_ contains: @escaping @Sendable (Key) -> Bool, _ body: () async -> Void) async {
        let pause = Pause(contains: contains, end: SharedPromise<Void>())
        while let other = state.withLock({ begin(pause, &$0) }) { await other.wait { nil } }
        let tasks = state.withLock { state in
            let keys = state.running.keys.filter(contains)
            return keys.compactMap { state.running.removeValue(forKey: $0)?.task }
        }
        for task in tasks { task.cancel() }
        for task in tasks { _ = await task.value }
        await body()
        state.withLock { $0.pause = nil }
        pause.end.fulfill(())
    }

    /// Begins a pause. Returns the end of the pause that must end first, if there is one.
    private func begin(_ pause: Pause, _ state: inout State) -> SharedPromise<Void>? {
        if let other = state.pause { return other.end }
        state.pause = pause
        return nil
    }
}
