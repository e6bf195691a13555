import TintypeCore
import TintypeTesting

/// A line whose work is done at once in the same thread, or when a test says so.
final class ManualQueue: TurnQueue {
    private let waiting: Shared<[QueuedWork]> = Shared([])
    private let isHeld = Shared(false)

    var count: Int { waiting.now.count }

    /// From now on work waits for ``run()``.
    func hold() { isHeld.withLock { $0 = true } }

    /// Does what waits, but not what comes of it.
    func run() {
        let pieces = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for piece in pieces { piece.run() }
    }

    func release() {
        isHeld.withLock { $0 = false }
        run()
    }

    func push(_ piece: QueuedWork, at priority: ImagePriority) -> QueueTicket? {
        if isHeld.now { waiting.withLock { $0.append(piece) } } else { piece.run() }
        return nil
    }

    func move(_ ticket: QueueTicket, to priority: ImagePriority) {}

    func cancel(_ ticket: QueueTicket) {}
}
