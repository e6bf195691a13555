/// The line of a ``WorkQueue`` and the count of its threads.
struct WorkQueueState<Piece: Sendable>: Sendable {
    enum Wakeup: Sendable {
        /// Every thread is busy, or a guest is in its place; one of them will come by.
        case none
        /// Wake one that sleeps.
        case signal
        case startThread
    }

    let width: Int
    var line = PriorityQueue<Piece>()
    private var threads = 0
    private var sleeping = 0
    /// Threads of others that do a piece of this queue's work.
    private var guests = 0

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

    /// Counts another thread as one of this queue's, if one of these could begin at once.
    mutating func enter() -> Bool {
        guard hasRoom, line.isEmpty else { return false }
        guests += 1
        return true
    }

    /// Whoever got in line meanwhile gets the guest's place.
    mutating func leave() -> Wakeup {
        guests -= 1
        return line.isEmpty ? .none : wakeup()
    }

    private var hasRoom: Bool { threads - sleeping + guests < width }

    private mutating func wakeup() -> Wakeup {
        guard hasRoom else { return .none }
        if sleeping > 0 {
            sleeping -= 1
            return .signal
        }
        threads += 1
        return .startThread
    }
}
