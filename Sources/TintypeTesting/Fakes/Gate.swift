import TintypeCore

/// A gate at which tasks wait until a test opens it.
///
/// A test starts work that waits at the gate, waits for its arrival, makes its assertions, and opens the gate. A gate
/// stays open once opened. You can call every method from any thread.
public final class Gate: Sendable {
    private struct State: Sendable {
        var arrivals: [(count: Int, promise: SharedPromise<Void>)] = []
        var arrived = 0
    }

    private let state = Locked(State())
    /// Fulfilled with `true` when the gate opens.
    private let passage = Promise<Bool>()

    /// Creates a closed gate.
    public init() {}

    /// Opens the gate for all waiting and all future tasks.
    public func open() {
        passage.fulfill(true)
    }

    /// Waits until the gate is open.
    ///
    /// - Returns: `true` if the gate is open; `false` if the task was cancelled first.
    public func wait() async -> Bool {
        arrive()
        return await passage.wait { false }
    }

    /// Waits until `count` tasks have arrived at the gate since it was created. Does not respond to cancellation.
    public func waitForArrivals(_ count: Int) async {
        let promise = SharedPromise<Void>()
        let hasArrived = state.withLock { state in
            if state.arrived < count { state.arrivals.append((count, promise)) }
            return state.arrived >= count
        }
        if !hasArrived { await promise.wait { nil } }
    }

    private func arrive() {
        let reached = state.withLock { state in
            state.arrived += 1
            let arrived = state.arrived
            let reached = state.arrivals.filter { $0.count <= arrived }.map(\.promise)
            state.arrivals.removeAll { $0.count <= arrived }
            return reached
        }
        for promise in reached { promise.fulfill(()) }
    }
}
