/// A batch of pictures that a prefetcher loads: the token to follow it and to give it up.
///
/// Letting go of it does not stop the batch.
public final class PrefetchBatch: Sendable {
    private struct State: Sendable {
        var progress: PrefetchProgress
        /// Those who have seen the newest progress and wait for more.
        var listeners: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastListener = 0
    }

    private let state: Locked<State>
    private let giveUp: @Sendable () -> Void

    /// - Parameter cancel: gives the batch up in its prefetcher.
    init(total: Int, cancel: @escaping @Sendable () -> Void) {
        state = Locked(State(progress: PrefetchProgress(total: total)))
        giveUp = cancel
    }

    /// How far it is now.
    public var progress: PrefetchProgress { state.withLock { $0.progress } }

    /// How far it is, now and after each picture; one who is slow is told the newest alone. Ends when it is complete.
    public var updates: AsyncStream<PrefetchProgress> {
        let seen = Locked<PrefetchProgress?>(nil)
        return AsyncStream {
            let next = await self.progress(after: seen.withLock { $0 })
            if let next { seen.withLock { $0 = next } }
            return next
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
        let listeners = state.withLock { state in
            guard newest.ended > state.progress.ended else { return [CheckedContinuation<Void, Never>]() }
            state.progress = newest
            defer { state.listeners = [:] }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.resume() }
    }
}

// MARK: - Following it

extension PrefetchBatch {
    /// The newest progress, once it is other than the last that was seen.
    private func progress(after last: PrefetchProgress?) async -> PrefetchProgress? {
        if let last {
            guard !last.isComplete else { return nil }
            await change(since: last)
        }
        return Task.isCancelled ? nil : progress
    }

    /// Waits until there is other progress than this, or the waiting task is cancelled.
    private func change(since last: PrefetchProgress) async {
        let number = state.withLock { state in
            state.lastListener += 1
            return state.lastListener
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { listen($0, number, since: last) }
        } onCancel: {
            leave(number)
        }
    }

    private func listen(_ listener: CheckedContinuation<Void, Never>, _ number: Int, since last: PrefetchProgress) {
        let waits = state.withLock { state in
            guard state.progress == last else { return false }
            state.listeners[number] = listener
            return true
        }
        guard waits else { return listener.resume() }
        // It may have been cancelled before there was a listener to release.
        if Task.isCancelled { leave(number) }
    }

    private func leave(_ number: Int) {
        state.withLock { $0.listeners.removeValue(forKey: number) }?.resume()
    }
}
