import Dispatch

/// A task that does the work of one job after another: what a task needs to begin with, and the memory that its frames
/// have come to need, are made once.
///
/// It is its own executor, so that work begins on the thread that gives it, without a change of thread: what resumes the
/// task then is kept here, and run by who gives the work.
final class JobWorker: TaskExecutor {
    struct Assignment: Sendable {
        let context: JobContext
        let work: @Sendable () async -> Void
    }

    private static let threads = DispatchQueue.global()

    private let state: Locked<JobWorkerState>
    private weak let pool: JobWorkers?

    /// - Parameter pool: is given it back whenever it has nothing to do; without it, it ends then.
    init(of pool: JobWorkers) {
        self.pool = pool
        state = Locked(JobWorkerState())
        let turn = JobTurn(of: self)
        state.withLock { $0.turn = turn }
    }

    /// Does the work until its first wait; the rest goes on elsewhere. To be called of one that is new, or was given back.
    func begin(_ assignment: Assignment) {
        assignment.context.bind(wake(for: assignment))
        runWoken()
    }

    /// Ends its task. To be called of one that was given back.
    func dismiss() {
        _ = wake(for: nil)
        runWoken()
    }

    /// Has the task wait for ``runWoken()``.
    private func wake(for assignment: Assignment?) -> Task<Void, Never> {
        let sleeper = state.withLock { $0.wake(for: assignment) }
        if let sleeper {
            sleeper.continuation.resume()
            return sleeper.task
        }
        let task = Task.detached(executorPreference: self) { await self.workOn() }
        state.withLock { $0.task = task }
        return task
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if let turn = state.withLock({ $0.add(job, to: self) }) { Self.threads.async(execute: turn.run) }
    }

    private func runWoken() {
        if let job = state.withLock({ $0.takeWoken() }) { run(job) }
    }

    /// Runs the first of what waits: the task as far as its next wait, a child of it, or what the runtime does for it.
    func runNext() {
        if let job = state.withLock({ $0.takeNext() }) { run(job) }
    }

    private func run(_ job: UnownedJob) {
        job.runSynchronously(on: asUnownedTaskExecutor())
        // Not before: who resumed a task that is still on its way out of here would find nothing to run.
        guard state.withLock({ $0.leave() }) else { return }
        if let pool { pool.put(self) } else { dismiss() }
    }

    private func workOn() async {
        while await doNext() {
            // Resumed once, by `wake`, which takes it out of the state.
            await withUnsafeContinuation { continuation in state.withLock { $0.continuation = continuation } }
        }
    }

    /// Returns whether it can do more: one that is cancelled would be so for every job.
    private func doNext() async -> Bool {
        guard let assignment = state.withLock({ $0.takeAssignment() }) else { return false }
        await assignment.work()
        return assignment.context.unbind()
    }
}

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

/// Runs the next thing that waits in a ``JobWorker``, on a thread of the pool: a block, as its queue takes them, that is
/// made once, since a closure for each turn would be memory for each.
///
/// A class around it, since Swift 6.3 has no metadata for blocks on Linux, which generic types would need.
final class JobTurn: Sendable {
    let run: @Sendable @convention(block) () -> Void

    /// - Parameter worker: lives as long as anything waits in it: ``JobWorkerState`` holds it.
    init(of worker: JobWorker) {
        run = { [unowned worker] in worker.runNext() }
    }
}

/// Workers that have nothing to do.
final class JobWorkers: Sendable {
    /// Those of everyone, as threads are.
    static let shared = JobWorkers()

    /// More are not kept.
    static let maximumCount = 64

    private let idle = Locked<[JobWorker]>([])

    deinit {
        for worker in idle.withLock({ $0 }) { worker.dismiss() }
    }

    /// How many wait for work.
    var count: Int { idle.withLock { $0.count } }

    /// Begins a job's work, on the calling thread as far as its first wait.
    func start(_ work: @escaping @Sendable () async -> Void, for context: JobContext) {
        let worker = idle.withLock { $0.popLast() } ?? JobWorker(of: self)
        worker.begin(JobWorker.Assignment(context: context, work: work))
    }

    /// Takes one that waits for work.
    func put(_ worker: JobWorker) {
        let isKept = idle.withLock { idle in
            guard idle.count < Self.maximumCount else { return false }
            idle.append(worker)
            return true
        }
        if !isKept { worker.dismiss() }
    }
}
