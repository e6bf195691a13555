import TintypeCore

/// The line in which transfers wait for one of a few places, the most urgent first.
final class TransferLine: WaitingLine {
    private struct State: Sendable {
        var line = PriorityQueue<WaitingPiece>()
        var free: Int
    }

    private let state: Locked<State>

    init(width: Int) {
        state = Locked(State(free: max(1, width)))
    }

    /// Waits for a place, which ``leave()`` gives back.
    ///
    /// - Throws: ``TintypeError/Code/cancelled``; then there is nothing to give back.
    func enter(for job: JobContext) async throws(TintypeError) {
        try await turn(for: job) { resume in resume(.success(())) }
    }

    func leave() {
        let next = state.withLock { state in
            let next = state.line.pop()
            if next == nil { state.free += 1 }
            return next
        }
        next?.run()
    }

    func push(_ piece: WaitingPiece, at priority: ImagePriority) -> WaitingTicket? {
        let ticket = state.withLock { state in
            guard state.free > 0 else { return state.line.push(piece, at: priority) as WaitingTicket? }
            state.free -= 1
            return nil
        }
        if ticket == nil { piece.run() }
        return ticket
    }

    func move(_ ticket: WaitingTicket, to priority: ImagePriority) {
        state.withLock { $0.line.move(ticket, to: priority) }
    }

    func drop(_ ticket: WaitingTicket) {
        state.withLock { $0.line.remove(ticket) }?.drop()
    }
}
