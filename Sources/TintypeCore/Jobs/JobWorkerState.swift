/// What a ``JobWorker`` is at.
struct JobWorkerState: Sendable {
    private enum Phase {
        /// Who wakes the task runs it himself.
        case waking(UnownedJob?)
        case working
        /// Given back to its pool.
        case idle
    }

    var turn: JobTurn?
    var task: Task<Void, Never>?
    /// Resumes the task, which waits for work.
    var continuation: UnsafeContinuation<Void, Never>?
    private var phase = Phase.working
    private var assignment: JobWorker.Assignment?
    /// What is to run on other threads, in its order.
    private var waiting: [UnownedJob] = []
    /// Whose that is, which has to live as long.
    private var owner: JobWorker?
    /// Those that run something of it.
    private var threads = 0

    /// `nil` when there is no task yet.
    mutating func wake(
        for assignment: JobWorker.Assignment?
    ) -> (task: Task<Void, Never>, continuation: UnsafeContinuation<Void, Never>)? {
        self.assignment = assignment
        phase = .waking(nil)
        defer { continuation = nil }
        guard let task, let continuation else { return nil }
        return (task, continuation)
    }

    /// Returns how to run it on another thread; `nil` when someone is about to run it on his own.
    mutating func add(_ job: UnownedJob, to worker: JobWorker) -> JobTurn? {
        if case .waking(nil) = phase {
            phase = .waking(job)
            return nil
        }
        waiting.append(job)
        owner = worker
        return turn
    }

    /// Takes out what was woken, to be run; ``leave()`` comes after it.
    mutating func takeWoken() -> UnownedJob? {
        guard case .waking(let job?) = phase else { return nil }
        phase = .working
        threads += 1
        return job
    }

    /// Takes out the first that waits, to be run; ``leave()`` comes after it.
    mutating func takeNext() -> UnownedJob? {
        guard !waiting.isEmpty else { return nil }
        threads += 1
        if waiting.count == 1 { owner = nil }
        return waiting.removeFirst()
    }

    mutating func takeAssignment() -> JobWorker.Assignment? {
        defer { assignment = nil }
        return assignment
    }

    /// Returns whether it has become idle: it waits for work, and nothing of it runs or is to run.
    mutating func leave() -> Bool {
        threads -= 1
        guard threads == 0, waiting.isEmpty, continuation != nil, case .working = phase else { return false }
        phase = .idle
        return true
    }
}
