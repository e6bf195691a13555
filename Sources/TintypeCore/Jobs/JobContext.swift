import Synchronization

/// The context of a running job: the highest priority of its subscribers, and whether any of them is left.
package final class JobContext: Sendable {
    private struct State: Sendable {
        var priority: ImagePriority
        var followers: [Int: any PriorityFollower] = [:]
        var lastFollower = 0
        var task: Task<Void, Never>?
    }

    private let state: Locked<State>
    /// Outside the lock, because a decoder reads it for every row. Set before the task is looked up.
    private let cancelled = Atomic(false)

    /// Creates the context of a job that is not cancelled.
    package init(priority: ImagePriority) {
        state = Locked(State(priority: priority))
    }

    /// The highest priority of the subscribers.
    package var priority: ImagePriority { state.withLock { $0.priority } }

    /// Whether no subscriber is left. CPU-bound work must check it between rows or frames.
    package var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    /// Checks for cancellation.
    ///
    /// - Throws: ``TintypeError/Code/cancelled`` if no subscriber is left.
    package func checkCancelled() throws(TintypeError) {
        if isCancelled { throw .cancelled }
    }

    /// Returns the error to report for an error that user code threw in this job.
    ///
    /// ``TintypeError/Code/cancelled`` is reported as a cancellation only if the job was cancelled. Otherwise it is
    /// reported as ``TintypeError/Code/transport``, because the code may have waited for a cancelled task of its own.
    /// Must be called in the task of the job.
    package func failure(_ error: TintypeError) -> TintypeError {
        guard error.code == .cancelled, !isCancelled, !Task.isCancelled else { return error }
        return TintypeError(
            .transport, stage: .load, "the load was cancelled, but no caller cancelled it", underlying: error)
    }

    // MARK: Priority

    /// Keeps `follower` at this job's priority until ``removeFollower(_:)`` is called with the returned number.
    ///
    /// - Parameter priority: The priority of the follower, if it is known.
    package func addFollower(_ follower: any PriorityFollower, at priority: ImagePriority? = nil) -> Int {
        let number = state.withLock { state in
            state.lastFollower += 1
            state.followers[state.lastFollower] = follower
            return state.lastFollower
        }
        // The priority may have changed after the follower was created and before it was registered.
        passPriority(alreadySent: priority) { follower.follow($0) }
        return number
    }

    /// Removes a follower by the number that ``addFollower(_:)`` returned.
    package func removeFollower(_ number: Int) {
        state.withLock { $0.followers[number] = nil }
    }

    func setPriority(_ priority: ImagePriority) {
        state.withLock { $0.priority = priority }
        ImagePriority.pass {
            state.withLock { ($0.priority, Array($0.followers.values)) }
        } to: { followers, priority in
            for follower in followers { follower.follow(priority) }
        }
    }

    /// Passes the current priority on, and again as long as it changes in between.
    func passPriority(alreadySent: ImagePriority? = nil, to send: (ImagePriority) -> Void) {
        ImagePriority.pass(alreadySent: alreadySent) {
            (priority, ())
        } to: { _, priority in
            send(priority)
        }
    }

    // MARK: The task

    /// Ties the task that does the work to this job. Cancels it at once if the job was abandoned in between.
    func bind(_ task: Task<Void, Never>) {
        state.withLock { $0.task = task }
        if isCancelled { task.cancel() }
    }

    /// Separates the task from a job whose work has ended.
    ///
    /// - Returns: Whether the task is not cancelled and never will be on behalf of this job: ``cancel()`` sets its flag
    ///   before it looks up the task.
    func unbind() -> Bool {
        state.withLock { state in
            state.task = nil
            return !isCancelled
        }
    }

    func cancel() {
        cancelled.store(true, ordering: .relaxed)
        state.withLock { $0.task }?.cancel()
    }
}

/// The closures that report a job to one subscriber. Both are called on any thread, with no lock held.
package struct JobReceiver<Value: Sendable, Status: Sendable>: Sendable {
    /// Takes the newest snapshot of the job. Snapshots in between may be skipped.
    var onStatus: @Sendable (Status) -> Void
    /// Takes the result, exactly once, unless the subscription has already been cancelled.
    var onEnd: @Sendable (Result<Value, TintypeError>) -> Void

    /// Creates a receiver from two closures.
    package init(
        onStatus: @escaping @Sendable (Status) -> Void,
        onEnd: @escaping @Sendable (Result<Value, TintypeError>) -> Void
    ) {
        self.onStatus = onStatus
        self.onEnd = onEnd
    }
}

/// Reports the status of a running job to its subscribers.
package struct JobReporter<Status: Sendable>: Sendable {
    /// Delivers a snapshot to all subscribers. May be called from any thread.
    package let report: @Sendable (Status) -> Void
}
