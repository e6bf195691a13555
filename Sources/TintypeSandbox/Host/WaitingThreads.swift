/// Threads that wait, in the order in which they came. A thread that waits again keeps its place.
struct WaitingThreads<Turn: Sendable>: Sendable {
    private var turns: [(ticket: Int, turn: Turn)] = []
    private var lastTicket = 0

    /// Returns the ticket of a thread that may have to wait.
    mutating func makeTicket() -> Int {
        lastTicket += 1
        return lastTicket
    }

    /// Adds a thread behind those with lower tickets. O(number of waiting threads).
    mutating func add(_ turn: Turn, ticket: Int) {
        let index = turns.lastIndex { $0.ticket < ticket }.map { $0 + 1 } ?? 0
        turns.insert((ticket, turn), at: index)
    }

    /// Removes a thread that no longer waits, if it is there.
    mutating func remove(_ ticket: Int) {
        turns.removeAll { $0.ticket == ticket }
    }

    /// Removes and returns the first thread, or the first one behind another.
    mutating func takeFirst(after ticket: Int = 0) -> Turn? {
        turns.firstIndex { $0.ticket > ticket }.map { turns.remove(at: $0).turn }
    }
}
