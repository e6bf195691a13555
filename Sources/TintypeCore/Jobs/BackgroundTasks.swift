/// Work that goes on behind the caller, and can be waited for.
final class BackgroundTasks: Sendable {
    private struct State: Sendable {
        var running: [Int: Task<Void, Never>] = [:]
        var lastNumber = 0
        var finishedEarly: Set<Int> = []
    }

    private let state = Locked(State())

    func add(_ work: @escaping @Sendable () async -> Void) {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let task = Task.detached(priority: .utility) {
            await work()
            self.remove(number)
        }
        state.withLock { state in
            if state.finishedEarly.remove(number) == nil { state.running[number] = task }
        }
    }

    /// Waits for everything that was added before.
    func wait() async {
        for task in state.withLock({ Array($0.running.values) }) { await task.value }
    }

    private func remove(_ number: Int) {
        state.withLock { state in
            if state.running.removeValue(forKey: number) == nil { state.finishedEarly.insert(number) }
        }
    }
}
