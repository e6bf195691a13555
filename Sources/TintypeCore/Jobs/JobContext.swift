import Synchronization

/// The context of a running job: the highest priority of its subscribers, and whether any of them is left.
package final class JobContext: Sendable {
    private struct State: Sendable {
        var priority: ImagePriority
        /// Nearly all jobs have one follower at a time, which then costs no dictionary.
        var first: (number: Int, follower: any PriorityFollower)?
        var others: [Int: any PriorityFollower] = [:]
        var lastFollower = 0
        var task: Task<Void, Never>?

        var followers: [any PriorityFollower] { (first.map { [$0.follower] } ?? []) + others.values }

        mutating func add(_ follower: any PriorityFollower) -> Int {
            lastFollower += 1
            if first == nil { first = (lastFollower, follower) } else { others[lastFollower] = follower }
            return lastFollower
        }

        mutating func remove(_ number: Int) {
            if first?.number == number { first = nil } else { others[number] = nil }
        }
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
        let number = state.withLock { $0.add(follower) }
        // The priority may have changed after the follower was created and before it was registered.
        passPriority(alreadySent: priority) { follower.follow($0) }
        return number
    }

    /// Removes a follower by the number that ``addFollower(_:at:)`` returned.
    package func removeFollower(_ number: Int) {
        state.withLock { $0.remove(number) }
    }

    func setPriority(_ priority: ImagePriority) {
        state.withLock { $0.priority = priority }
        ImagePriority.pass {
            state.withLock { ($0.priority, $0.followers) }
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

/// One subscriber of a job. Both methods are called on any thread, with no lock held.
package protocol JobReceiver<Value, Snapshot>: AnyObject, Sendable {
    /// The result of the job.
    associatedtype Value: Sendable
    /// A snapshot of the running job.
    associatedtype Snapshot: Sendable

    /// Takes the newest snapshot of the job. Snapshots in between may be skipped.
    func update(_ status: Snapshot)
    /// Takes the result, exactly once, unless the subscription has already been cancelled.
    func finish(_ result: Result<Value, TintypeError>)
}

/// A receiver of two closures.
package final class ClosureReceiver<Value: Sendable, Status: Sendable>: JobReceiver {
    private let onStatus: @Sendable (Status) -> Void
    private let onEnd: @Sendable (Result<Value, TintypeError>) -> Void

    /// Creates a receiver from two closures.
    package init(
        onStatus: @escaping @Sendable (Status) -> Void,
        onEnd: @escaping @Sendable (Result<Value, TintypeError>) -> Void
    ) {
        self.onStatus = onStatus
        self.onEnd = onEnd
    }

    /// Calls the closure for snapshots.
    package func update(_ status: Status) { onStatus(status) }

    /// Calls the closure for the result.
    package func finish(_ result: Result<Value, TintypeError>) { onEnd(result) }
}

/// Reports the status of a running job to its subscribers.
package struct JobReporter<Status: Sendable>: Sendable {
    /// Delivers a snapshot to all subscribers. May be called from any thread.
    package let report: @Sendable (Status) -> Void
}
