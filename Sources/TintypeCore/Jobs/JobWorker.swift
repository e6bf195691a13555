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
    private let pool: JobWorkers

    /// - Parameter pool: is given it back whenever it has nothing to do.
    init(of pool: JobWorkers) {
        self.pool = pool
        state = Locked(JobWorkerState())
        let turn = JobTurn(of: self)
        state.withLock { $0.turn = turn }
    }

    /// Does the work until its first wait; the rest goes on elsewhere. To be called of one that is new, or was given back.
    func begin(_ assignment: Assignment) {
        assignment.context.bind(wake(for: assignment))
        runNext()
    }

    /// Ends its task. To be called of one that was given back.
    func dismiss() {
        _ = wake(for: nil)
        runNext()
    }

    /// Has the task wait for its turn.
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
        if let turn = state.withLock({ $0.add(job) }) { Self.threads.async(execute: turn.run) }
    }

    /// Runs the first of what waits: the task, as far as its next wait, or a child of it.
    func runNext() {
        guard let job = state.withLock({ $0.next() }) else { return }
        job.runSynchronously(on: asUnownedTaskExecutor())
        // Not before: who resumed a task that is still on its way out of here would find nothing to run.
        if state.withLock({ $0.leave() }) { pool.put(self) }
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
