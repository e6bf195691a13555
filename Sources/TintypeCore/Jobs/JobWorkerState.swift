/// What a ``JobWorker`` is at.
struct JobWorkerState: Sendable {
    private enum Phase {
        /// Who wakes the task runs it himself.
        case waking
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
    /// The task, or children of it.
    private var waiting: [UnownedJob] = []
    /// Threads that run it, or children of it.
    private var threads = 0

    /// `nil` when there is no task yet.
    mutating func wake(
        for assignment: JobWorker.Assignment?
    ) -> (task: Task<Void, Never>, continuation: UnsafeContinuation<Void, Never>)? {
        self.assignment = assignment
        phase = .waking
        defer { continuation = nil }
        guard let task, let continuation else { return nil }
        return (task, continuation)
    }

    /// Returns how to run it on another thread; `nil` when someone is about to run it on his own.
    mutating func add(_ job: UnownedJob) -> JobTurn? {
        waiting.append(job)
        guard phase == .waking else { return turn }
        phase = .working
        return nil
    }

    /// Takes out the first that waits, to be run; ``leave()`` comes after it.
    mutating func next() -> UnownedJob? {
        guard !waiting.isEmpty else { return nil }
        threads += 1
        return waiting.removeFirst()
    }

    mutating func takeAssignment() -> JobWorker.Assignment? {
        defer { assignment = nil }
        return assignment
    }

    /// Returns whether it has become idle: it waits for work, and no thread is in it any more.
    mutating func leave() -> Bool {
        threads -= 1
        guard threads == 0, continuation != nil, phase == .working else { return false }
        phase = .idle
        return true
    }
}
