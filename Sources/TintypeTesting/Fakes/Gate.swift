import TintypeCore

/// Something that tasks wait in front of until a test opens it.
public final class Gate: Sendable {
    private struct State: Sendable {
        var isOpen = false
        var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
        var arrivals: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var arrived = 0
        var cancelled: Set<Int> = []
    }

    private let state = Locked(State())

    public init() {}

    /// Lets everyone pass, now and later.
    public func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume(returning: true) }
    }

    /// Waits until the gate is open; `false` when the task is cancelled first.
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

    /// Waits until so many have come to the gate.
    public func arrivals(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.arrived < count { state.arrivals.append((count, continuation)) }
                return state.arrived >= count
            }
            if isThere { continuation.resume() }
        }
    }

    private func arrive() -> Int {
        let (number, told) = state.withLock { state in
            state.arrived += 1
            let arrived = state.arrived
            let told = state.arrivals.filter { $0.count <= arrived }.map(\.continuation)
            state.arrivals.removeAll { $0.count <= arrived }
            return (arrived, told)
        }
        for continuation in told { continuation.resume() }
        return number
    }
}
