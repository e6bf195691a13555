/// One piece of work's place in the line of a ``WorkQueue``: it follows its job's priority, and is given up when the
/// waiting task is cancelled, at whatever moment that happens.
final class WorkPlace: PriorityFollower {
    private struct State: Sendable {
        var ticket: WorkQueue.Ticket?
        var isCancelled = false
    }

    private let queue: WorkQueue
    private let job: JobContext
    private let state = Locked(State())

    init(queue: WorkQueue, job: JobContext) {
        self.queue = queue
        self.job = job
    }

    func take(_ piece: WorkQueue.Piece) {
        guard !state.withLock({ $0.isCancelled }) else { return piece.drop() }
        let ticket = queue.push(piece, at: job.priority)
        let isCancelled = state.withLock { state in
            state.ticket = ticket
            return state.isCancelled
        }
        // The priority may have changed before there was a ticket to move.
        if isCancelled { queue.drop(ticket) } else { queue.move(ticket, to: job.priority) }
    }

    func leave() {
        let ticket = state.withLock { state in
            state.isCancelled = true
            return state.ticket
        }
        if let ticket { queue.drop(ticket) }
    }

    func follow(_ priority: ImagePriority) {
        let ticket = state.withLock { $0.ticket }
        if let ticket { queue.move(ticket, to: priority) }
    }
}
