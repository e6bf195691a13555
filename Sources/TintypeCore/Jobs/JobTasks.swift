/// The tasks that do the work of jobs, which belongs to no caller: it is not cancelled with the task that happens to
/// start it.
///
/// It begins on the calling thread (of macOS, from 26 on), which spares a job that a job starts two changes of thread. So
/// what runs first has to be short.
enum JobTasks {
    /// A task for each job. It leaves the thread of an actor before what is `@concurrent`, as a loader is, which may be the
    /// user's.
    case new
    /// Tasks that do one job after another. They leave the thread at their first wait.
    case kept

    func start(_ work: @escaping @Sendable () async -> Void, for context: JobContext) {
        switch self {
        case .new: context.bind(Self.task(work))
        case .kept: JobWorkers.shared.start(work, for: context)
        }
    }

    private static func task(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        if #available(macOS 26, *) {
            return Task.immediateDetached { await work() }
        }
        return Task.detached { await work() }
    }
}
