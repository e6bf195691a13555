import HeapModule

/// A line in which the most urgent stands first, and among equals the first that came, or the last.
///
/// Taking, adding, moving and removing cost O(log n), amortised: what is moved or removed leaves its old place behind
/// in the heap, which is skipped when it comes up and swept out when such places are the majority.
package struct PriorityQueue<Element: Sendable>: Sendable {
    /// Who goes first among equals.
    package enum Order: Sendable {
        case firstInFirstOut
        case lastInFirstOut
    }

    /// Names one element while it stands in the line.
    package struct Ticket: Hashable, Sendable {
        fileprivate let sequence: Int

        /// For a line of another kind.
        package init(number: Int) { sequence = number }

        package var number: Int { sequence }
    }

    private struct Place: Comparable, Sendable {
        let priority: ImagePriority
        let rank: Int
        let ticket: Ticket

        static func < (left: Place, right: Place) -> Bool {
            (left.priority, left.rank) < (right.priority, right.rank)
        }
    }

    package var order: Order
    private var heap = Heap<Place>()
    private var elements: [Ticket: (element: Element, priority: ImagePriority)] = [:]
    private var lastSequence = 0

    package init(order: Order = .firstInFirstOut) {
        self.order = order
    }

    package var count: Int { elements.count }
    package var isEmpty: Bool { elements.isEmpty }

    package mutating func push(_ element: Element, at priority: ImagePriority) -> Ticket {
        lastSequence += 1
        let ticket = Ticket(number: lastSequence)
        elements[ticket] = (element, priority)
        heap.insert(place(ticket, priority))
        return ticket
    }

    package mutating func pop() -> Element? {
        while let place = heap.popMax() {
            guard let standing = elements[place.ticket], standing.priority == place.priority else { continue }
            elements[place.ticket] = nil
            return standing.element
        }
        return nil
    }

    /// Takes an element out; `nil` when it has left before.
    package mutating func remove(_ ticket: Ticket) -> Element? {
        let element = elements.removeValue(forKey: ticket)?.element
        sweepIfNeeded()
        return element
    }

    /// Moves an element to another priority, where it keeps its age.
    package mutating func move(_ ticket: Ticket, to priority: ImagePriority) {
        guard let standing = elements[ticket], standing.priority != priority else { return }
        elements[ticket]?.priority = priority
        heap.insert(place(ticket, priority))
        sweepIfNeeded()
    }

    private func place(_ ticket: Ticket, _ priority: ImagePriority) -> Place {
        let rank = order == .firstInFirstOut ? -ticket.sequence : ticket.sequence
        return Place(priority: priority, rank: rank, ticket: ticket)
    }

    private mutating func sweepIfNeeded() {
        guard heap.count > 2 * elements.count + 64 else { return }
        heap = Heap(elements.map { place($0.key, $0.value.priority) })
    }
}
