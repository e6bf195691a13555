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
