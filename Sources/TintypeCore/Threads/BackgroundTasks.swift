/// A set of tasks that run in the background within a budget.
///
/// All members may be called from any thread.
final class BackgroundTasks: Sendable {
    private struct State: Sendable {
        var running: [Int: Task<Void, Never>] = [:]
        var endedEarly: Set<Int> = []
        var lastNumber = 0
        var cost = 0
    }

    /// The largest total cost of unfinished work, normally the bytes that it holds in memory.
    private let budget: Int
    private let state = Locked(State())

    /// Creates an empty set.
    ///
    /// - Parameter budget: The largest total cost of unfinished work. Work that costs more runs only alone.
    init(budget: Int) {
        self.budget = budget
    }

    /// Starts a task, unless the cost of unfinished work would exceed the budget.
    ///
    /// - Parameters:
    ///   - cost: The part of the budget that the work takes until it ends.
    ///   - work: The work, run in a detached task of priority `.utility`.
    /// - Returns: `false` if the budget does not allow the work, which is then dropped.
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

    /// Waits for all work that was added before the call.
    func wait() async {
        for task in state.withLock({ Array($0.running.values) }) { await task.value }
    }

    private func end(_ number: Int, _ cost: Int) {
        state.withLock { state in
            state.cost -= cost
            // The task may end before `add` has stored it.
            if state.running.removeValue(forKey: number) == nil { state.endedEarly.insert(number) }
        }
    }
}
