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
