public import Foundation
public import TintypeCore

/// One's share in a transfer: to follow it, to change how urgent it is, and to give it up.
///
/// Letting go of it does not stop the transfer.
public final class Download: Sendable {
    private typealias Waiter = CheckedContinuation<Result<LoadedBytes, TintypeError>, Never>

    private struct State: Sendable {
        var received: ReceivedBytes?
        var end: Result<LoadedBytes, TintypeError>?
        var priority: ImagePriority
        var subscription: JobSubscription?
        var waiters: [Waiter] = []
    }

    private let state: Locked<State>
    private let onProgress: (@Sendable (LoadProgress) -> Void)?

    init(_ priority: ImagePriority, _ onProgress: (@Sendable (LoadProgress) -> Void)?) {
        state = Locked(State(priority: priority))
        self.onProgress = onProgress
    }

    /// How far it is.
    public var progress: LoadProgress { state.withLock { $0.received }?.progress ?? LoadProgress() }

    /// The bytes so far; all of them at the end.
    public var receivedBytes: Data {
        let (end, received) = state.withLock { ($0.end, $0.received) }
        return (try? end?.get().data) ?? received?.all ?? Data()
    }

    /// How urgent it is. The transfer is as urgent as the most urgent of those who wait for it.
    public var priority: ImagePriority {
        get { state.withLock { $0.priority } }
        set {
            state.withLock { $0.priority = newValue }
            tellPriority()
        }
    }

    private func tellPriority(alreadyTold: ImagePriority? = nil) {
        ImagePriority.pass(alreadyTold: alreadyTold) {
            state.withLock { state in state.subscription.map { (state.priority, $0) } }
        } to: {
            $0.follow($1)
        }
    }

    /// Gives it up: it ends at once with ``TintypeCore/TintypeError/Code/cancelled``, unless it has ended. The last one to
    /// give it up stops the transfer.
    public func cancel() {
        finish(.failure(.cancelled))
        let subscription = state.withLock { $0.subscription }
        subscription?.cancel()
    }

    /// The bytes, once they are there; any number may wait. When the waiting Swift task is cancelled, so is this.
    public var bytes: LoadedBytes {
        get async throws(TintypeError) {
            // Without a wait where there is none: on an actor it costs two changes of thread.
            if let end = state.withLock({ $0.end }) { return try end.get() }
            let result = await withTaskCancellationHandler {
                await withCheckedContinuation { wait($0) }
            } onCancel: {
                cancel()
            }
            return try result.get()
        }
    }

    private func wait(_ waiter: Waiter) {
        let end = state.withLock { state in
            if state.end == nil { state.waiters.append(waiter) }
            return state.end
        }
        if let end { waiter.resume(returning: end) }
    }

    // MARK: From the downloader

    /// - Parameter told: the priority that it was subscribed at.
    func bind(_ subscription: JobSubscription, at told: ImagePriority) {
        let isOver = state.withLock { state in
            state.subscription = subscription
            return state.end != nil
        }
        // Either may have happened before there was a subscription to tell.
        if isOver { subscription.cancel() } else { tellPriority(alreadyTold: told) }
    }

    func update(_ received: ReceivedBytes) {
        let isRunning = state.withLock { state in
            state.received = received
            return state.end == nil
        }
        if isRunning, let onProgress { onProgress(received.progress) }
    }

    func finish(_ end: Result<LoadedBytes, TintypeError>) {
        let waiters = state.withLock { state in
            guard state.end == nil else { return [Waiter]() }
            state.end = end
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(returning: end) }
    }
}
