/// A queue in which work waits for its turn, the most urgent first.
///
/// All requirements may be called from any thread.
package protocol TurnQueue: AnyObject, Sendable {
    /// Adds work to the queue, which may run it before this returns.
    ///
    /// - Returns: The ticket for ``move(_:to:)`` and ``cancel(_:)``; `nil` when neither can have an effect any more.
    func push(_ work: QueuedWork, at priority: ImagePriority) -> QueueTicket?

    /// Changes the priority of work that has not run.
    func move(_ ticket: QueueTicket, to priority: ImagePriority)

    /// Removes work that has not run, and cancels it.
    func cancel(_ ticket: QueueTicket)
}

/// Work that waits for its turn. Its queue calls exactly one of the two closures, once, with no lock held.
package struct QueuedWork: Sendable {
    /// Does the work.
    package let run: @Sendable () -> Void
    /// Called in place of ``run`` when the work was removed before its turn.
    package let cancel: @Sendable () -> Void

    /// Creates work from two closures.
    ///
    /// - Parameters:
    ///   - run: Does the work.
    ///   - cancel: Called in place of `run` when the work was removed before its turn.
    package init(run: @escaping @Sendable () -> Void, cancel: @escaping @Sendable () -> Void) {
        self.run = run
        self.cancel = cancel
    }
}

extension TurnQueue {
    package typealias Resume<Value> = @Sendable (Result<Value, TintypeError>) -> Void

    /// Waits for a turn without blocking. The wait follows the priority of `job` when it changes. If `run` asks for it,
    /// the job then waits for a turn in another queue.
    ///
    /// - Parameter run: Called when the turn has come. It may push more work at `position`. The work that runs or is
    ///   cancelled last must call `resume`, once.
    /// - Throws: ``TintypeError/Code/cancelled`` when the job was cancelled before its turn.
    package func waitForTurn<Value: Sendable>(
        for job: JobContext,
        _ run: @escaping @Sendable (_ position: QueuePosition, _ resume: @escaping Resume<Value>) -> Void
    ) async throws(TintypeError) -> Value {
        try job.checkCancelled()
        let position = QueuePosition(job: job)
        let follower = job.addFollower(position)
        defer { job.removeFollower(follower) }
        let promise = SharedPromise<Result<Value, TintypeError>>()
        let resume: Resume<Value> = { promise.fulfill($0) }
        position.push(QueuedWork(run: { run(position, resume) }, cancel: { resume(.failure(.cancelled)) }), to: self)
        return try await promise.wait {
            // Work that is already running ends the wait itself.
            position.cancel()
            return nil
        }.get()
    }
}

/// A job's position in a queue, or in one queue after another.
///
/// It follows the priority of the job. Cancelling it removes the queued work, at whatever moment that happens.
package final class QueuePosition: PriorityFollower {
    private struct State: Sendable {
        var queued: (queue: any TurnQueue, ticket: QueueTicket)?
        /// The number of pushes. Work may run, and push more work, before the ticket of its own push is stored.
        var pushCount = 0
        var isCancelled = false
    }

    private let job: JobContext
    private let state = Locked(State())

    init(job: JobContext) {
        self.job = job
    }

    /// Adds work to a queue, at the priority of the job; cancels it if this position was cancelled.
    func push(_ work: QueuedWork, to queue: any TurnQueue) {
        let number: Int? = state.withLock { state in
            guard !state.isCancelled else { return nil }
            state.pushCount += 1
            return state.pushCount
        }
        guard let number else { return work.cancel() }
        let priority = job.priority
        guard let ticket = queue.push(work, at: priority) else { return }
        let isCancelled = state.withLock { state in
            if state.pushCount == number { state.queued = (queue, ticket) }
            return state.isCancelled
        }
        if isCancelled { return queue.cancel(ticket) }
        // The priority may have changed before there was a ticket to move.
        job.passPriority(alreadySent: priority) { queue.move(ticket, to: $0) }
    }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Cancels the queued work, and all that is pushed later.
    func cancel() {
        let queued = state.withLock { state in
            state.isCancelled = true
            return state.queued
        }
        if let queued { queued.queue.cancel(queued.ticket) }
    }

    package func follow(_ priority: ImagePriority) {
        let queued = state.withLock { $0.queued }
        if let queued { queued.queue.move(queued.ticket, to: priority) }
    }
}
