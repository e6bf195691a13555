/// A batch of images that an ``ImagePrefetcher`` loads: a token to observe its progress and to cancel it.
///
/// Releasing the token does not stop the batch. All members may be used from any thread.
public final class PrefetchBatch: Sendable {
    private struct State: Sendable {
        var progress: PrefetchProgress
        /// Fulfilled when the progress changes.
        var change = SharedPromise<Void>()
    }

    /// The number of the batch in its prefetcher; `nil` for an empty one.
    let number: Int?
    private let state: Locked<State>
    private weak let prefetcher: ImagePrefetcher?

    /// Creates a token.
    ///
    /// - Parameter total: The number of images.
    init(_ number: Int?, total: Int, of prefetcher: ImagePrefetcher?) {
        state = Locked(State(progress: PrefetchProgress(total: total)))
        (self.number, self.prefetcher) = (number, prefetcher)
    }

    /// The current progress.
    public var progress: PrefetchProgress { state.withLock { $0.progress } }

    /// The progress now and after each image, until the batch is complete. A slow consumer receives only the newest.
    public var updates: AsyncStream<PrefetchProgress> {
        let seen = Locked<PrefetchProgress?>(nil)
        return AsyncStream {
            let next = await self.progress(after: seen.withLock { $0 })
            if let next { seen.withLock { $0 = next } }
            return next
        }
    }

    /// Waits until the batch is complete, and returns the final progress.
    public func wait() async -> PrefetchProgress {
        for await _ in updates {}
        return progress
    }

    /// Cancels the loads that have not ended. Images that other requests wait for are still loaded for those.
    public func cancel() { prefetcher?.cancel([self]) }

    /// Sets the progress, if it is newer: two workers may report in either order.
    func update(_ newest: PrefetchProgress) {
        let change: SharedPromise<Void>? = state.withLock { state in
            guard newest.ended > state.progress.ended else { return nil }
            state.progress = newest
            defer { state.change = SharedPromise() }
            return state.change
        }
        change?.fulfill(())
    }
}

// MARK: - Waiting for progress

extension PrefetchBatch {
    /// Waits until the progress differs from the last that was seen, and returns it; `nil` if the batch is complete.
    private func progress(after last: PrefetchProgress?) async -> PrefetchProgress? {
        if let last {
            guard !last.isComplete else { return nil }
            let (progress, change) = state.withLock { ($0.progress, $0.change) }
            if progress == last { await change.wait() }
        }
        return Task.isCancelled ? nil : progress
    }
}

// MARK: - Progress

/// The progress of a batch.
public struct PrefetchProgress: Hashable, Sendable {
    /// The number of images that have been loaded.
    public internal(set) var finishedCount = 0
    /// The number of images that failed or were cancelled.
    public internal(set) var skipped = 0
    /// The number of images in the batch.
    public let total: Int

    init(total: Int) {
        self.total = total
    }

    /// Whether every image has been loaded or skipped. An empty batch is complete from the beginning.
    public var isComplete: Bool { ended == total }

    /// The number of images that have been loaded or skipped.
    var ended: Int { finishedCount + skipped }
}
