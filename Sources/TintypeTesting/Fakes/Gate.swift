import TintypeCore

/// A gate at which tasks wait until a test opens it.
///
/// A test starts work that waits at the gate, waits for its arrival, makes its assertions, and opens the gate. A gate
/// stays open once opened. You can call every method from any thread.
public final class Gate: Sendable {
    private struct State: Sendable {
        var isOpen = false
        var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
        var arrivals: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var arrived = 0
        var cancelled: Set<Int> = []
    }

    private let state = Locked(State())

    /// Creates a closed gate.
    public init() {}

    /// Opens the gate for all waiting and all future tasks.
    public func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume(returning: true) }
    }

    /// Waits until the gate is open.
    ///
    /// - Returns: `true` if the gate is open; `false` if the task was cancelled first.
    public func wait() async -> Bool {
        let number = arrive()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let passes: Bool? = state.withLock { state in
                    if state.isOpen { return true }
                    if state.cancelled.contains(number) { return false }
                    state.waiting[number] = continuation
                    return nil
                }
                if let passes { continuation.resume(returning: passes) }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                state.cancelled.insert(number)
                return state.waiting.removeValue(forKey: number)
            }
            continuation?.resume(returning: false)
        }
    }

    /// Waits until `count` tasks have arrived at the gate since it was created. Does not respond to cancellation.
    public func waitForArrivals(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let hasArrived = state.withLock { state in
                if state.arrived < count { state.arrivals.append((count, continuation)) }
                return state.arrived >= count
            }
            if hasArrived { continuation.resume() }
        }
    }

    private func arrive() -> Int {
        let (number, reached) = state.withLock { state in
            state.arrived += 1
            let arrived = state.arrived
            let reached = state.arrivals.filter { $0.count <= arrived }.map(\.continuation)
            state.arrivals.removeAll { $0.count <= arrived }
            return (arrived, reached)
        }
        for continuation in reached { continuation.resume() }
        return number
    }
}
