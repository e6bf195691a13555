/// One job's place in a line, or in one line after another: it follows the job's priority, and is given up when the
/// waiting task is cancelled, at whatever moment that happens.
final class WaitingPlace: PriorityFollower {
    private struct State: Sendable {
        var place: (line: any WaitingLine, ticket: WaitingTicket)?
        /// How often it was taken: a piece may have gone on to the next line before its first place is noted.
        var turn = 0
        var isCancelled = false
    }

    private let job: JobContext
    private let state = Locked(State())

    init(job: JobContext) {
        self.job = job
    }

    func take(_ piece: WaitingPiece, in line: any WaitingLine) {
        guard let turn = beginTurn() else { return piece.drop() }
        let priority = job.priority
        guard let ticket = line.push(piece, at: priority) else { return }
        let isCancelled = state.withLock { state in
            if state.turn == turn { state.place = (line, ticket) }
            return state.isCancelled
        }
        if isCancelled { return line.drop(ticket) }
        // The priority may have changed before there was a ticket to move.
        job.follow(alreadyTold: priority) { line.move(ticket, to: $0) }
    }

    private func beginTurn() -> Int? {
        state.withLock { state in
            guard !state.isCancelled else { return nil }
            state.turn += 1
            return state.turn
        }
    }

    /// Whether no one waits here any more.
    var isLeft: Bool { state.withLock { $0.isCancelled } }

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
