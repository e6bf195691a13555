import Synchronization

/// Someone who waits until he was asked some times whether he does.
final class FuzzPatience: Sendable {
    private let left: Mutex<Int>

    init(questions: Int) {
        left = Mutex(questions)
    }

    func isOver() -> Bool {
        left.withLock { left in
            left -= 1
            return left < 0
        }
    }

    var wasOver: Bool { left.withLock { $0 < 0 } }
}
