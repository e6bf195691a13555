import HeapModule
import Testing
import TintypeTesting

@testable import TintypeCore

@Suite struct PriorityQueueTests {
    @Test func theMostUrgentElementComesFirstThenTheOldest() {
        var queue = PriorityQueue<String>()
        for (name, priority) in [("a", ImagePriority.low), ("b", .high), ("c", .high), ("d", .normal)] {
            _ = queue.push(name, at: priority)
        }
        #expect(drained(&queue) == ["b", "c", "d", "a"])
    }

    @Test func lastInFirstOutServesTheNewestOfEqualPriority() {
        var queue = PriorityQueue<String>(order: .lastInFirstOut)
        for name in ["a", "b", "c"] { _ = queue.push(name, at: .normal) }
        _ = queue.push("urgent", at: .high)
        #expect(drained(&queue) == ["urgent", "c", "b", "a"])
    }

    @Test func aMovedElementKeepsItsAge() {
        var queue = PriorityQueue<String>()
        let old = queue.push("old", at: .low)
        _ = queue.push("new", at: .high)
        queue.move(old, to: .high)
        #expect(drained(&queue) == ["old", "new"])
    }

    @Test func movingAnElementThereAndBackChangesNothing() {
        var queue = PriorityQueue<String>()
        let ticket = queue.push("a", at: .low)
        _ = queue.push("b", at: .low)
        queue.move(ticket, to: .high)
        queue.move(ticket, to: .low)
        #expect(drained(&queue) == ["a", "b"])
    }

    @Test func anElementThatMovesOftenIsServedOnce() {
        var queue = PriorityQueue<String>()
        let ticket = queue.push("a", at: .low)
        for number in 0..<10_000 { queue.move(ticket, to: number.isMultiple(of: 2) ? .high : .low) }
        #expect(queue.count == 1)
        #expect(drained(&queue) == ["a"])
    }

    @Test func aRemovedElementIsNotServed() {
        var queue = PriorityQueue<String>()
        let ticket = queue.push("a", at: .high)
        _ = queue.push("b", at: .low)
        #expect(queue.remove(ticket) == "a")
        #expect(queue.remove(ticket) == nil)
        #expect(drained(&queue) == ["b"])
    }

    @Test func anElementThatAnotherQueueTakesOverKeepsItsTicketAndAge() throws {
        var queue = PriorityQueue<String>()
        var other = PriorityQueue<String>()
        let old = queue.push("old", at: .low)
        _ = queue.push("new", at: .low)
        let removed = queue.removeEntry(old)
        other.insert(try #require(removed))
        #expect(other[old] == "old" && queue[old] == nil)
        other.move(old, to: .high)
        let popped = other.popEntry()
        var entry = try #require(popped)
        #expect(entry.priority == .high)
        entry.priority = .low
        queue.insert(entry)
        #expect(drained(&queue) == ["old", "new"] && other.isEmpty)
    }

    @Test func theOrderCanBeChanged() {
        var queue = PriorityQueue<String>()
        for name in ["a", "b", "c"] { _ = queue.push(name, at: .normal) }
        queue.order = .lastInFirstOut
        #expect(drained(&queue) == ["c", "b", "a"])
    }

    /// Compares random operations with a sorted list.
    @Test func randomOperationsAgreeWithASortedList() {
        var random = SeededRandom.printed("priority queue")
        var queue = PriorityQueue<Int>()
        var model: [(value: Int, priority: ImagePriority, ticket: PriorityQueue<Int>.Ticket)] = []
        for value in 0..<5000 {
            let priority = ImagePriority.allCases.randomElement(using: &random) ?? .normal
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1: model.append((value, priority, queue.push(value, at: priority)))
            case 2 where !model.isEmpty:
                let index = Int.random(in: model.indices, using: &random)
                model[index].priority = priority
                queue.move(model[index].ticket, to: priority)
            case 3 where !model.isEmpty:
                let removed = model.remove(at: Int.random(in: model.indices, using: &random))
                #expect(queue.remove(removed.ticket) == removed.value)
            default:
                let highest = model.map(\.priority).max()
                let index = model.firstIndex { $0.priority == highest }
                #expect(queue.pop() == index.map { model.remove(at: $0).value })
            }
            #expect(queue.count == model.count)
        }
    }

    /// Stale positions are swept when they outnumber the elements by 64.
    @Test func stalePositionsAreRemoved() {
        var queue = PriorityQueue<Int>()
        let ticket = queue.push(0, at: .low)
        for move in 0..<65 { queue.move(ticket, to: move % 2 == 0 ? .high : .low) }
        #expect(queue.heap.count == 66)
        queue.move(ticket, to: .low)
        #expect(queue.heap.count == 1 && queue.pop() == 0)

        let tickets = (0..<200).map { queue.push($0, at: .normal) }
        for ticket in tickets.prefix(132) { _ = queue.remove(ticket) }
        #expect(queue.heap.count == 200)
        _ = queue.remove(tickets[132])
        #expect(queue.heap.count == 67 && queue.pop() == 133)
    }

    private func drained(_ queue: inout PriorityQueue<String>) -> [String] {
        var names: [String] = []
        while let name = queue.pop() { names.append(name) }
        return names
    }
}
