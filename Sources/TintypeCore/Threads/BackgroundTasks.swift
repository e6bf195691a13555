/// Work that goes on behind the caller, within a budget, and can be waited for.
final class BackgroundTasks: Sendable {
    private struct State: Sendable {
        var running: [Int: Task<Void, Never>] = [:]
        var endedEarly: Set<Int> = []
        var lastNumber = 0
        var cost = 0
    }

    /// What waiting work may cost: bytes that it holds on to, as a rule.
    private let budget: Int
    private let state = Locked(State())

    init(budget: Int) {
        self.budget = budget
    }

    /// Does the work, unless too much waits already: then it is left undone.
    ///
    /// - Parameter cost: what of the budget the work takes until it is done.
    /// - Returns: whether it is done.
    @discardableResult
    func add(cost: Int, _ work: @escaping @Sendable () async -> Void) -> Bool {
        let number: Int? = state.withLock { state in
            guard state.cost == 0 || state.cost + cost <= budget else { return nil }
            state.cost += cost
            state.lastNumber += 1
            return state.lastNumber
        }
        guard let number else { return false }
        let task = Task.detached(priority: .utility) {
            await work()
            self.end(number, cost)
        }
        state.withLock { state in
            if state.endedEarly.remove(number) == nil { state.running[number] = task }
        }
        return true
    }

    /// Waits for everything that was added before.
    func wait() async {
        for task in state.withLock({ Array($0.running.values) }) { await task.value }
    }

    private func end(_ number: Int, _ cost: Int) {
        state.withLock { state in
            state.cost -= cost
            // The task may be done before it could be noted.
            if state.running.removeValue(forKey: number) == nil { state.endedEarly.insert(number) }
        }
    }
}
