import TintypeCore

/// A value that a test shares with the closures it passes on. You can use it from any thread.
package final class Shared<Value: Sendable>: Sendable {
    private let value: Locked<Value>

    /// Creates a shared value.
    package init(_ value: Value) {
        self.value = Locked(value)
    }

    /// A copy of the current value.
    package var now: Value { value.withLock { $0 } }

    /// Reads or changes the value under a lock, and returns the result of the closure. The closure must not use the
    /// same value again.
    package func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        value.withLock { body(&$0) }
    }
}

/// A value behind a lock. Tasks can wait for a condition on it without polling.
final class Watched<Value: Sendable>: Sendable {
    private struct Waiter {
        let isSatisfied: @Sendable (Value) -> Bool
        let satisfied = SharedPromise<Void>()
    }

    private struct State {
        var value: Value
        var waiters: [Int: Waiter] = [:]
        var nextID = 0
    }

    private let state: Locked<State>

    init(_ value: Value) {
        state = Locked(State(value: value))
    }

    var value: Value { state.withLock { $0.value } }

    /// Changes the value and resumes the tasks whose condition it now satisfies.
    func update<Result: Sendable>(_ change: (inout Value) -> Result) -> Result {
        let (result, satisfied) = state.withLock { state in
            let result = change(&state.value)
            return (result, Self.removeSatisfied(from: &state))
        }
        for promise in satisfied { promise.fulfill(()) }
        return result
    }

    /// Returns when the value satisfies a condition or the task is cancelled.
    func wait(until condition: @escaping @Sendable (Value) -> Bool) async {
        let waiter = Waiter(isSatisfied: condition)
        let id: Int? = state.withLock { state in
            guard !waiter.isSatisfied(state.value) else { return nil }
            state.nextID += 1
            state.waiters[state.nextID] = waiter
            return state.nextID
        }
        guard let id else { return }
        await waiter.satisfied.wait {
            state.withLock { $0.waiters[id] = nil }
            return ()
        }
    }

    private static func removeSatisfied(from state: inout State) -> [SharedPromise<Void>] {
        let satisfied = state.waiters.filter { $0.value.isSatisfied(state.value) }
        for id in satisfied.keys { state.waiters[id] = nil }
        return satisfied.values.map(\.satisfied)
    }
}
