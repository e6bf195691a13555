import TintypeCore

/// A value that a test shares with the closures it passes on. Tasks can wait for a condition on it without polling. You
/// can use it from any thread.
package final class Shared<Value: Sendable>: Sendable {
    private struct Waiter {
        let isSatisfied: @Sendable (Value) -> Bool
        let satisfied = SharedPromise<Void>()
    }

    private struct State {
        var value: Value
        var waiters: [Int: Waiter] = [:]
        var lastWaiter = 0

        mutating func removeSatisfied() -> [SharedPromise<Void>] {
            guard !waiters.isEmpty else { return [] }
            let satisfied = waiters.filter { $0.value.isSatisfied(value) }
            for number in satisfied.keys { waiters[number] = nil }
            return satisfied.values.map(\.satisfied)
        }
    }

    private let state: Locked<State>

    /// Creates a shared value.
    package init(_ value: Value) {
        state = Locked(State(value: value))
    }

    /// A copy of the current value.
    package var now: Value { state.withLock { $0.value } }

    /// Reads or changes the value under a lock, resumes the tasks whose condition it now satisfies, and returns the
    /// result of the closure. The closure must not use the same value again.
    package func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        let (result, satisfied) = state.withLock { state in
            let result = body(&state.value)
            return (result, state.removeSatisfied())
        }
        for promise in satisfied { promise.fulfill(()) }
        return result
    }

    /// Waits until the value satisfies a condition, or until the task is cancelled.
    ///
    /// - Parameter condition: Called under the lock, after each change. It must not use the same value again.
    package func wait(until condition: @escaping @Sendable (Value) -> Bool) async {
        let waiter = Waiter(isSatisfied: condition)
        let number: Int? = state.withLock { state in
            guard !condition(state.value) else { return nil }
            state.lastWaiter += 1
            state.waiters[state.lastWaiter] = waiter
            return state.lastWaiter
        }
        guard let number else { return }
        await waiter.satisfied.wait {
            state.withLock { $0.waiters[number] = nil }
            return ()
        }
    }
}
