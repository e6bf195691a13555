import Synchronization

extension ImagePipeline {
    /// Whether new loads wait, for example while a program is in the background. `false` by default.
    ///
    /// While a pipeline is paused, images in memory and on disk are still delivered, and loads whose loader has started
    /// continue. All other loads wait before they start their loader, and can be cancelled. They continue when this
    /// becomes `false`.
    public var isPaused: Bool {
        get { services.pause.isPaused }
        set { services.pause.isPaused = newValue }
    }
}

/// Delays the loads of a paused pipeline.
final class LoadPause: Sendable {
    /// Outside the lock, because every load reads it.
    private let flag = Atomic(false)
    /// Fulfilled when the pause ends; `nil` if there is none.
    private let end = Locked<SharedPromise<Void>?>(nil)

    var isPaused: Bool {
        get { flag.load(ordering: .acquiring) }
        set {
            let ended = end.withLock { end in
                defer { end = newValue ? end ?? SharedPromise() : nil }
                flag.store(newValue, ordering: .releasing)
                return newValue ? nil : end
            }
            ended?.fulfill(())
        }
    }

    /// Returns when the pipeline is not paused.
    ///
    /// - Throws: ``TintypeError/Code/cancelled`` if the task is cancelled first.
    func wait() async throws(TintypeError) {
        while let end = end.withLock({ $0 }) {
            await end.wait()
            if Task.isCancelled { throw .cancelled }
        }
    }
}
