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
