/// The line of a ``WorkQueue`` and the count of its threads.
struct WorkQueueState<Piece: Sendable>: Sendable {
    enum Wakeup: Sendable {
        /// Every thread is busy; one of them will come by.
        case none
        /// Wake one that sleeps.
        case signal
        case startThread
    }

    let width: Int
    var line = PriorityQueue<Piece>()
    private var threads = 0
    private var sleeping = 0

    init(width: Int) {
        self.width = width
    }

    mutating func push(_ piece: Piece, at priority: ImagePriority) -> (PriorityQueue<Piece>.Ticket, Wakeup) {
        let ticket = line.push(piece, at: priority)
        return (ticket, wakeup())
    }

    /// What a thread does next; with `nil` it counts as asleep until a signal.
    mutating func pop() -> Piece? {
        guard let piece = line.pop() else {
            sleeping += 1
            return nil
        }
        return piece
    }

    private mutating func wakeup() -> Wakeup {
        if sleeping > 0 {
            sleeping -= 1
            return .signal
        }
        guard threads < width else { return .none }
        threads += 1
        return .startThread
    }
}
