/// A batch of pictures that a prefetcher loads: the token to follow it and to give it up.
///
/// Letting go of it does not stop the batch.
public final class PrefetchBatch: Sendable {
    private struct State: Sendable {
        var progress: PrefetchProgress
        var streams: [AsyncStream<PrefetchProgress>.Continuation] = []
    }

    private let state: Locked<State>
    private let giveUp: @Sendable () -> Void

    /// - Parameter cancel: gives the batch up in its prefetcher.
    init(total: Int, cancel: @escaping @Sendable () -> Void) {
        state = Locked(State(progress: PrefetchProgress(total: total)))
        giveUp = cancel
    }

    public var progress: PrefetchProgress { state.withLock { $0.progress } }

    /// How far it is, now and after each picture; only the newest is kept for one who is slow. Ends when it is complete.
    public var updates: AsyncStream<PrefetchProgress> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { stream in
            let now = state.withLock { state in
                if !state.progress.isComplete { state.streams.append(stream) }
                return state.progress
            }
            stream.yield(now)
            if now.isComplete { stream.finish() }
        }
    }

    /// Waits until nothing is left to do, and tells how it ended.
    public func wait() async -> PrefetchProgress {
        for await _ in updates {}
        return progress
    }

    /// Gives up what has not ended; pictures that others wait for are loaded for them all the same.
    public func cancel() { giveUp() }

    /// Takes what is newer: two workers may come by in either order.
    func update(_ newest: PrefetchProgress) {
        let streams = state.withLock { state in
            guard newest.finished + newest.skipped > state.progress.finished + state.progress.skipped else {
                return [AsyncStream<PrefetchProgress>.Continuation]()
            }
            state.progress = newest
            defer { if newest.isComplete { state.streams = [] } }
            return state.streams
        }
        for stream in streams {
            stream.yield(newest)
            if newest.isComplete { stream.finish() }
        }
    }
}
