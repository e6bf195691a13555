public import Foundation
public import TintypeCore

/// One caller's share of a transfer: its progress, its priority, its cancellation and its result.
///
/// Releasing it does not cancel the transfer. All members may be used from any thread.
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

    /// The progress of the transfer.
    public var progress: LoadProgress { state.withLock { $0.received }?.progress ?? LoadProgress() }

    /// The bytes that have arrived; all of them at the end, and none if the transfer failed before the first. O(*n*).
    public var receivedBytes: Data {
        let (end, received) = state.withLock { ($0.end, $0.received) }
        return (try? end?.get().data) ?? received?.all ?? Data()
    }

    /// The priority of this share. The transfer has the highest priority of its shares.
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

    /// Ends this share with ``TintypeCore/TintypeError/Code/cancelled``, unless it has ended. When the last share of a
    /// transfer is cancelled, the transfer stops.
    public func cancel() {
        finish(.failure(.cancelled))
        let subscription = state.withLock { $0.subscription }
        subscription?.cancel()
    }

    /// The bytes, when the transfer has ended. Any number of tasks may wait; cancelling one of them cancels this share.
    ///
    /// - Throws: the error of the transfer, or ``TintypeCore/TintypeError/Code/cancelled``.
    public var bytes: LoadedBytes {
        get async throws(TintypeError) {
            // A finished download returns without suspending, which would cost two thread hops on an actor.
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

    // MARK: Called by the downloader

    /// Connects this share to its subscription of the transfer.
    ///
    /// - Parameter told: the priority of the subscription.
    func bind(_ subscription: JobSubscription, at told: ImagePriority) {
        let isOver = state.withLock { state in
            state.subscription = subscription
            return state.end != nil
        }
        // The end, or a change of priority, may precede the subscription.
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
