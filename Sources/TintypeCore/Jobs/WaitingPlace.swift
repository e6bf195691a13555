/// One job's place in a line: it follows the job's priority, and is given up when the waiting task is cancelled, at
/// whatever moment that happens.
final class WaitingPlace: PriorityFollower {
    private struct State: Sendable {
        var ticket: WaitingTicket?
        var isCancelled = false
    }

    private let line: any WaitingLine
    private let job: JobContext
    private let state = Locked(State())

    init(line: any WaitingLine, job: JobContext) {
        self.line = line
        self.job = job
    }

    func take(_ piece: WaitingPiece) {
        guard !state.withLock({ $0.isCancelled }) else { return piece.drop() }
        guard let ticket = line.push(piece, at: job.priority) else { return }
        let isCancelled = state.withLock { state in
            state.ticket = ticket
            return state.isCancelled
        }
        // The priority may have changed before there was a ticket to move.
        if isCancelled { line.drop(ticket) } else { line.move(ticket, to: job.priority) }
    }

    func leave() {
        let ticket = state.withLock { state in
            state.isCancelled = true
            return state.ticket
        }
        if let ticket { line.drop(ticket) }
    }

    func follow(_ priority: ImagePriority) {
        let ticket = state.withLock { $0.ticket }
        if let ticket { line.move(ticket, to: priority) }
    }
}
