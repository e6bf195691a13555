import NIOCore

/// Runs tasks on the event loop of a client's connections, so that an answer changes threads once, when all of it that
/// lay ready is here, and not for every step that the client below takes.
///
/// What is resumed while something comes over a connection runs as if it came over that: so the task that waits for an
/// answer knows its connection.
final class LoopExecutor: TaskExecutor {
    private let connections: CurrentConnection

    init(_ connections: CurrentConnection) {
        self.connections = connections
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let loop = connections.loop
        guard loop.inEventLoop, let facts = connections.facts else {
            return loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
        loop.assumeIsolated().execute {
            self.connections.during(facts) { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }
}
