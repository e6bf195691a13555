extension SharedJobs {
    /// Waits inside a job for another one, sharing it with whoever wants the same.
    ///
    /// The job below follows the priority of the one that waits. When that one is cancelled the wait ends at once, and
    /// the job below goes on only if others wait for it.
    package func value(
        _ key: Key, for parent: JobContext, onStatus: @escaping @Sendable (Status) -> Void = { _ in },
        work: @escaping Work
    ) async throws(TintypeError) -> Value {
        let wait = JobWait<Value>()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard wait.begin(continuation) else { return }
                let receiver = Receiver(onStatus: onStatus, onEnd: { wait.finish($0) })
                wait.attached(self.attach(key, at: parent.priority, receiver: receiver, work: work), for: parent)
            }
        } onCancel: {
            wait.cancel()
        }
        return try result.get()
    }
}

/// One wait for a job by an asynchronous function, which a cancellation can end at any moment.
///
/// Continuations are taken out under the lock and resumed after it is free.
private final class JobWait<Value: Sendable>: Sendable {
    typealias End = Result<Value, TintypeError>

    private struct State: Sendable {
        var continuation: CheckedContinuation<End, Never>?
        var subscription: JobSubscription?
        var follower: (context: JobContext, number: Int)?
        var isCancelled = false
        var isFinished = false
    }

    private let state = Locked(State())

    /// Returns whether to go on; resumes the continuation itself when the wait was cancelled before it began.
    func begin(_ continuation: CheckedContinuation<End, Never>) -> Bool {
        let goesOn = state.withLock { state in
            if !state.isCancelled { state.continuation = continuation }
            return !state.isCancelled
        }
        if !goesOn { continuation.resume(returning: .failure(.cancelled)) }
        return goesOn
    }

    func attached(_ subscription: JobSubscription, for parent: JobContext) {
        let number = parent.addFollower(subscription)
        let (isCancelled, isFinished) = state.withLock { state in
            state.subscription = subscription
            if !state.isFinished { state.follower = (parent, number) }
            return (state.isCancelled, state.isFinished)
        }
        if isCancelled { subscription.cancel() }
        if isFinished { parent.removeFollower(number) }
    }

    func cancel() {
        let subscription = state.withLock { state in
            state.isCancelled = true
            return state.subscription
        }
        subscription?.cancel()
        finish(.failure(.cancelled))
    }

    func finish(_ end: End) {
        let (continuation, follower) = state.withLock { state in
            state.isFinished = true
            defer { state.continuation = nil; state.follower = nil }
            return (state.continuation, state.follower)
        }
        if let follower { follower.context.removeFollower(follower.number) }
        continuation?.resume(returning: end)
    }
}
