public import HeapModule

/// A queue that serves the element with the highest priority first, and elements of equal priority by age.
///
/// Pushing, popping, moving and removing are O(log *n*), amortised. Moving or removing an element leaves its old
/// position in the heap. Such stale positions are skipped when they reach the top, and removed when they outnumber the
/// elements.
// Inlinable: other modules specialise it for their element types. A type that is `package` alone is never specialised
// outside of its module (Swift 6.3).
@usableFromInline
package struct PriorityQueue<Element: Sendable>: Sendable {
    /// Names one element.
    @usableFromInline
    package typealias Ticket = QueueTicket

    /// An element with its ticket and priority: everything that another queue needs to adopt it.
    @usableFromInline
    package struct Entry: Sendable {
        @usableFromInline package let ticket: Ticket
        @usableFromInline package let element: Element
        @usableFromInline package var priority: ImagePriority

        @inlinable
        init(ticket: Ticket, element: Element, priority: ImagePriority) {
            self.ticket = ticket
            self.element = element
            self.priority = priority
        }
    }

    /// A position in the heap. It is stale when its ticket has left the queue, or has another priority.
    @usableFromInline
    struct Position: Comparable, Sendable {
        @usableFromInline let priority: ImagePriority
        @usableFromInline let rank: Int
        @usableFromInline let ticket: Ticket

        @inlinable
        init(priority: ImagePriority, rank: Int, ticket: Ticket) {
            self.priority = priority
            self.rank = rank
            self.ticket = ticket
        }

        @inlinable
        static func < (left: Position, right: Position) -> Bool {
            (left.priority, left.rank) < (right.priority, right.rank)
        }
    }

    @usableFromInline var heap = Heap<Position>()
    @usableFromInline var entries: [Ticket: Entry] = [:]
    @usableFromInline var lastSequence = 0

    /// The order of elements of equal priority. Changing it is O(*n*).
    @usableFromInline
    package var order: QueueOrder {
        didSet { if order != oldValue { rebuildHeap() } }
    }

    /// Creates an empty queue.
    @inlinable
    package init(order: QueueOrder = .firstInFirstOut) {
        self.order = order
    }

    /// The number of elements. O(1).
    @inlinable
    package var count: Int { entries.count }
    /// Whether there are no elements. O(1).
    @inlinable
    package var isEmpty: Bool { entries.isEmpty }

    /// The element that a ticket names; `nil` when it has left the queue. O(1).
    @inlinable
    package subscript(ticket: Ticket) -> Element? { entries[ticket]?.element }

    /// Adds an element, the youngest of its priority.
    @inlinable
    package mutating func push(_ element: Element, at priority: ImagePriority) -> Ticket {
        lastSequence += 1
        let ticket = Ticket(sequence: lastSequence)
        insert(Entry(ticket: ticket, element: element, priority: priority))
        return ticket
    }

    /// Adds an element that was removed from a queue. It retains its ticket and its age.
    ///
    /// Among queues that exchange elements, only one may create tickets (``push(_:at:)``), so that tickets are unique.
    @inlinable
    package mutating func insert(_ entry: Entry) {
        entries[entry.ticket] = entry
        heap.insert(position(of: entry))
    }

    /// Removes and returns the first element; `nil` when the queue is empty.
    @inlinable
    package mutating func pop() -> Element? { popEntry()?.element }

    /// Removes and returns the first element with its ticket; `nil` when the queue is empty.
    @inlinable
    package mutating func popEntry() -> Entry? {
        while let position = heap.popMax() {
            guard let entry = entries[position.ticket], entry.priority == position.priority else { continue }
            entries[position.ticket] = nil
            return entry
        }
        return nil
    }

    /// Removes and returns an element; `nil` when it has left the queue.
    @inlinable
    package mutating func remove(_ ticket: Ticket) -> Element? { removeEntry(ticket)?.element }

    /// Removes and returns an element with its ticket; `nil` when it has left the queue.
    @inlinable
    package mutating func removeEntry(_ ticket: Ticket) -> Entry? {
        let entry = entries.removeValue(forKey: ticket)
        removeStalePositionsIfNeeded()
        return entry
    }

    /// Changes the priority of an element, which keeps its age.
    @inlinable
    package mutating func move(_ ticket: Ticket, to priority: ImagePriority) {
        guard var entry = entries[ticket], entry.priority != priority else { return }
        entry.priority = priority
        insert(entry)
        removeStalePositionsIfNeeded()
    }

    @inlinable
    func position(of entry: Entry) -> Position {
        let sequence = entry.ticket.sequence
        return Position(
            priority: entry.priority, rank: order == .firstInFirstOut ? -sequence : sequence, ticket: entry.ticket)
    }

    @inlinable
    mutating func removeStalePositionsIfNeeded() {
        guard heap.count > 2 * entries.count + 64 else { return }
        rebuildHeap()
    }

    @inlinable
    mutating func rebuildHeap() {
        heap = Heap(entries.values.map { position(of: $0) })
    }
}

/// The order of elements of equal priority in a ``PriorityQueue``.
@usableFromInline
package enum QueueOrder: Sendable {
    case firstInFirstOut
    case lastInFirstOut
}

/// Names one element of a ``PriorityQueue`` for as long as it is queued, also after it moves to another queue.
@usableFromInline
package struct QueueTicket: Hashable, Sendable {
    @usableFromInline let sequence: Int

    @inlinable
    init(sequence: Int) {
        self.sequence = sequence
    }
}
