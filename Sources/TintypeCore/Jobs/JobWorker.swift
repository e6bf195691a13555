import Dispatch

/// A task that does the work of one job after another, so that the task and the memory of its frames are allocated
/// once.
///
/// It is its own executor, so that work begins on the calling thread: ``begin(_:)`` resumes the task, the executor
/// receives the partial task that results, and ``begin(_:)`` runs it. After its first suspension the work continues on
/// Dispatch's threads: on the one that resumes it, as its ``NextStep``, or else on another one.
final class JobWorker: TaskExecutor {
    /// The work of one job.
    struct Assignment: Sendable {
        let context: JobContext
        let work: @Sendable () async -> Void
    }

    private static let threads = DispatchQueue.global()

    private let state: Locked<JobWorkerState>
    private weak let pool: JobWorkers?

    /// Creates a worker whose task starts with its first assignment.
    ///
    /// - Parameter pool: Receives the worker whenever it is idle. If the pool no longer exists then, the task ends.
    init(of pool: JobWorkers) {
        self.pool = pool
        state = Locked(JobWorkerState())
        let turn = JobTurn(of: self)
        state.withLock { $0.turn = turn }
    }

    /// Runs work on the calling thread until its first suspension. Must be called only for a new or idle worker.
    func begin(_ assignment: Assignment) {
        assignment.context.bind(wake(for: assignment))
        runWoken()
    }

    /// Ends the task. Must be called only for an idle worker.
    func dismiss() {
        _ = wake(for: nil)
        runWoken()
    }

    /// Starts or resumes the task, so that ``runWoken()`` can run it.
    ///
    /// - Parameter assignment: The next work; `nil` makes the task end.
    /// - Returns: The task.
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

    /// Runs a partial task: in ``runWoken()`` if the worker was just woken, as the next step of this thread if it can
    /// be that, otherwise on a thread of Dispatch.
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        guard let (turn, mayFollow) = state.withLock({ $0.add(job, to: self) }) else { return }
        if mayFollow, NextStep.offer(self) { return }
        Self.threads.async(execute: turn.run)
    }

    /// Runs the partial task that ``wake(for:)`` has caused.
    private func runWoken() {
        if let job = state.withLock({ $0.takeWoken() }) { run(job) }
    }

    /// Runs the first waiting partial task: a step of the worker's task or of one of its child tasks.
    func runNext() {
        if let job = state.withLock({ $0.takeNext() }) { run(job) }
    }

    private func run(_ job: UnownedJob) {
        job.runSynchronously(on: asUnownedTaskExecutor())
        // Only after the step has returned: before that, resuming the task would not enqueue a partial task to run.
        guard state.withLock({ $0.leave() }) else { return }
        if let pool { pool.put(self) } else { dismiss() }
    }

    /// The body of the task.
    private func workOn() async {
        while await doNext() {
            // Resumed exactly once, because `wake` takes it out of the state. Not a `Promise`: a promise is fulfilled
            // once, and this wait repeats for every assignment.
            await withUnsafeContinuation { continuation in state.withLock { $0.continuation = continuation } }
        }
    }

    /// Does the assigned work.
    ///
    /// - Returns: `false` if the task must end: there was no work, or the task is cancelled and so would be all later
    ///   work.
    private func doNext() async -> Bool {
        guard let assignment = state.withLock({ $0.takeAssignment() }) else { return false }
        await assignment.work()
        return assignment.context.unbind()
    }
}

/// The state of a ``JobWorker``: its task, its assignment and its waiting partial tasks.
struct JobWorkerState: Sendable {
    private enum Phase {
        /// A thread is waking the task, and runs this partial task itself as soon as it is enqueued.
        case waking(UnownedJob?)
        /// The task has work.
        case working
        /// The worker is back in its pool.
        case idle
    }

    /// The block that runs the first waiting partial task.
    var turn: JobTurn?
    var task: Task<Void, Never>?
    /// Resumes the task; set while the task waits for work.
    var continuation: UnsafeContinuation<Void, Never>?
    private var phase = Phase.working
    private var assignment: JobWorker.Assignment?
    /// The partial tasks to run on other threads, first in, first out.
    private var waiting: [UnownedJob] = []
    /// The worker, retained while any partial task waits.
    private var owner: JobWorker?
    /// The number of threads that run a partial task.
    private var threadCount = 0

    /// Stores the next assignment and enters the waking phase.
    ///
    /// - Returns: The task and its continuation, to be resumed after unlocking; `nil` if there is no task yet.
    mutating func wake(
        for assignment: JobWorker.Assignment?
    ) -> (task: Task<Void, Never>, continuation: UnsafeContinuation<Void, Never>)? {
        self.assignment = assignment
        phase = .waking(nil)
        defer { continuation = nil }
        guard let task, let continuation else { return nil }
        return (task, continuation)
    }

    /// Adds a partial task.
    ///
    /// - Returns: The block that runs it, for another thread, and whether it may instead be the next step of this one:
    ///   a task that yields, and child tasks, need another. `nil` if the thread that wakes the worker runs it.
    mutating func add(_ job: UnownedJob, to worker: JobWorker) -> (turn: JobTurn, mayFollow: Bool)? {
        if case .waking(nil) = phase {
            phase = .waking(job)
            return nil
        }
        waiting.append(job)
        owner = worker
        return turn.map { ($0, threadCount == 0 && waiting.count == 1) }
    }

    /// Removes and returns the partial task of a worker that was just woken. Call ``leave()`` after running it.
    mutating func takeWoken() -> UnownedJob? {
        guard case .waking(let job?) = phase else { return nil }
        phase = .working
        threadCount += 1
        return job
    }

    /// Removes and returns the first waiting partial task. Call ``leave()`` after running it.
    mutating func takeNext() -> UnownedJob? {
        guard !waiting.isEmpty else { return nil }
        threadCount += 1
        if waiting.count == 1 { owner = nil }
        return waiting.removeFirst()
    }

    /// Removes and returns the work to do.
    mutating func takeAssignment() -> JobWorker.Assignment? {
        defer { assignment = nil }
        return assignment
    }

    /// Records that a thread has run a partial task.
    ///
    /// - Returns: Whether the worker is idle now: its task waits for work, and no partial task runs or waits.
    mutating func leave() -> Bool {
        threadCount -= 1
        guard threadCount == 0, waiting.isEmpty, continuation != nil, case .working = phase else { return false }
        phase = .idle
        return true
    }
}

/// A block for Dispatch that runs the first waiting partial task of a ``JobWorker``.
///
/// It is created once for each worker, because a closure for each partial task would be an allocation each time. The
/// block is in a class because Swift 6.3 has no metadata for blocks on Linux, which generic types would need.
final class JobTurn: Sendable {
    let run: @Sendable @convention(block) () -> Void

    /// Creates the block of a worker.
    ///
    /// - Parameter worker: Not retained; ``JobWorkerState`` retains it while any partial task waits.
    init(of worker: JobWorker) {
        run = { [unowned worker] in NextStep.run { worker.runNext() } }
    }
}

/// A pool of idle workers. All members may be called from any thread.
final class JobWorkers: Sendable {
    /// The process-wide pool.
    static let shared = JobWorkers()

    /// The largest number of idle workers; the tasks of others end.
    static let maximumCount = 64

    private let idle = Locked<[JobWorker]>([])

    deinit {
        for worker in idle.withLock({ $0 }) { worker.dismiss() }
    }

    /// Removes and returns an idle worker, or a new one.
    func take() -> JobWorker { idle.withLock { $0.popLast() } ?? JobWorker(of: self) }

    /// Adds an idle worker, or ends its task if the pool is full.
    func put(_ worker: JobWorker) {
        let isAdded = idle.withLock { idle in
            guard idle.count < Self.maximumCount else { return false }
            idle.append(worker)
            return true
        }
        if !isAdded { worker.dismiss() }
    }
}
