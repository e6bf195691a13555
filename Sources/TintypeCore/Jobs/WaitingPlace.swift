/// One job's place in a line, or in one line after another: it follows the job's priority, and is given up when the
/// waiting task is cancelled, at whatever moment that happens.
final class WaitingPlace: PriorityFollower {
    private struct State: Sendable {
        var place: (line: any WaitingLine, ticket: WaitingTicket)?
        var isCancelled = false
    }

    private let job: JobContext
    private let state = Locked(State())

    init(job: JobContext) {
        self.job = job
    }

    func take(_ piece: WaitingPiece, in line: any WaitingLine) {
        guard !state.withLock({ $0.isCancelled }) else { return piece.drop() }
        guard let ticket = line.push(piece, at: job.priority) else { return }
        let isCancelled = state.withLock { state in
            state.place = (line, ticket)
            return state.isCancelled
        }
        // The priority may have changed before there was a ticket to move.
        if isCancelled { line.drop(ticket) } else { line.move(ticket, to: job.priority) }
    }

    func leave() {
        let place = state.withLock { state in
            state.isCancelled = true
            return state.place
        }
        if let place { place.line.drop(place.ticket) }
    }

    func follow(_ priority: ImagePriority) {
        let place = state.withLock { $0.place }
        if let place { place.line.move(place.ticket, to: priority) }
    }
}
