import TintypeCore

/// A value that a test shares with the closures it passes on. You can use it from any thread.
public final class Shared<Value: Sendable>: Sendable {
    private let value: Locked<Value>

    /// Creates a shared value.
    public init(_ value: Value) {
        self.value = Locked(value)
    }

    /// A copy of the current value.
    public var now: Value { value.withLock { $0 } }

    /// Reads or changes the value under a lock, and returns the result of the closure. The closure must not use the
    /// same value again.
    public func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        value.withLock { body(&$0) }
    }
}

/// A value behind a lock. Tasks can wait for a condition on it without polling.
final class Watched<Value: Sendable>: Sendable {
    private struct Waiter {
        let isSatisfied: @Sendable (Value) -> Bool
        let continuation: CheckedContinuation<Void, Never>
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
        for continuation in satisfied { continuation.resume() }
        return result
    }

    /// Returns when the value satisfies a condition or the task is cancelled.
    func wait(until condition: @escaping @Sendable (Value) -> Bool) async {
        let id = makeID()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                enlist(Waiter(isSatisfied: condition, continuation: continuation), as: id)
            }
        } onCancel: {
            dismiss(id)
        }
    }

    private func makeID() -> Int {
        state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
    }

    private func enlist(_ waiter: Waiter, as id: Int) {
        let waits = state.withLock { state in
            // Checked under the lock: if the task is cancelled after this point, `dismiss` finds its waiter.
            if Task.isCancelled || waiter.isSatisfied(state.value) { return false }
            state.waiters[id] = waiter
            return true
        }
        if !waits { waiter.continuation.resume() }
    }

    private func dismiss(_ id: Int) {
        let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
        waiter?.continuation.resume()
    }

    private static func removeSatisfied(from state: inout State) -> [CheckedContinuation<Void, Never>] {
        let satisfied = state.waiters.filter { $0.value.isSatisfied(state.value) }
        for id in satisfied.keys { state.waiters[id] = nil }
        return satisfied.values.map(\.continuation)
    }
}
