/// The task of one shared job.
enum JobTask {
    /// Starts work that belongs to no caller: it is not cancelled with the task that happens to start it.
    ///
    /// It begins on the calling thread and leaves it at its first wait, which spares a job that a job starts two changes
    /// of thread. So what runs first has to be short; a loader, which may be the user's, is `@concurrent`.
    static func start(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        if #available(macOS 26, *) {
            return Task.immediateDetached { await work() }
        }
        return Task.detached { await work() }
    }
}
