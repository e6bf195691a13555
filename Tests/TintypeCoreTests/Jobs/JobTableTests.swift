import Testing

@testable import TintypeCore

@Suite struct JobTableTests {
    typealias Table = JobTable<String>

    @Test func theFirstSubscriberStartsTheJobAndTheSecondJoins() {
        var table = Table()
        let (first, start) = table.attach("a", at: .normal)
        let (second, join) = table.attach("a", at: .low)
        #expect(start == .start)
        #expect(join == .join(raisedTo: nil))
        #expect(first.job == second.job)
    }

    @Test func differentKeysAreDifferentJobs() {
        var table = Table()
        let (first, _) = table.attach("a", at: .normal)
        let (second, start) = table.attach("b", at: .normal)
        #expect(start == .start)
        #expect(first.job != second.job)
        #expect(table.count == 2)
    }

    @Test func aMoreUrgentSubscriberRaisesTheJob() {
        var table = Table()
        _ = table.attach("a", at: .low)
        let (_, join) = table.attach("a", at: .high)
        #expect(join == .join(raisedTo: .high))
    }

    @Test func theJobIsLoweredWhenItsMostUrgentSubscriberLeaves() {
        var table = Table()
        _ = table.attach("a", at: .low)
        let (urgent, _) = table.attach("a", at: .high)
        #expect(table.detach(urgent) == .lowered(to: .low))
    }

    @Test func theJobIsAbandonedWhenItsLastSubscriberLeaves() {
        var table = Table()
        let (first, _) = table.attach("a", at: .normal)
        let (second, _) = table.attach("a", at: .normal)
        #expect(table.detach(first) == .left)
        #expect(table.detach(second) == .abandoned)
        #expect(table.detach(second) == .unknown)
        #expect(table.count == 0)
    }

    @Test func anAbandonedKeyStartsANewJob() {
        var table = Table()
        let (first, _) = table.attach("a", at: .normal)
        _ = table.detach(first)
        let (second, start) = table.attach("a", at: .normal)
        #expect(start == .start)
        // The old job may end at any time. It has no subscribers.
        #expect(table.finish(first.job).count == 0)
        #expect(table.finish(second.job).count == 1)
    }

    @Test func finishReturnsSubscribersInOrderOfArrival() {
        var table = Table()
        let priorities: [ImagePriority] = [.normal, .high, .low, .veryHigh, .veryLow]
        let subscribers = priorities.map { table.attach("a", at: $0).0 }
        #expect(table.finish(subscribers[0].job).values == priorities)
        #expect(table.finish(subscribers[0].job).count == 0)
    }

    // MARK: Every sequence of events

    enum Event: CaseIterable {
        case attachLow, attachHigh, attachOther, detachFirst, detachLast, raiseFirst, lowerLast, finishFirst
    }

    /// Compares ``JobTable`` with a plain model after every sequence of up to six events. Sequences with a common
    /// beginning share its state.
    @Test func everySequenceOfSixEventsKeepsTheInvariants() throws {
        func walk(_ replay: Replay, _ events: [Event]) throws {
            guard events.count < 6 else { return }
            for event in Event.allCases {
                var next = replay
                do {
                    try next.run(event)
                } catch {
                    Issue.record("\(error) after \(events + [event])")
                    throw error
                }
                try walk(next, events + [event])
            }
        }
        try walk(Replay(), [])
    }

    /// Applies events to a table and to a model, a list of waiters with their keys and priorities.
    private struct Replay {
        /// The table and the model differ.
        struct Difference: Error {
            let line: Int
        }

        struct Waiter {
            let id: Table.SubscriberID
            let key: String
            var priority: ImagePriority
        }

        var table = Table()
        var waiting: [Waiter] = []

        mutating func run(_ event: Event) throws(Difference) {
            try step(event)
            try Self.check(table.count == Set(waiting.map(\.id.job)).count)
        }

        private mutating func step(_ event: Event) throws(Difference) {
            switch event {
            case .attachLow: try attach("a", .low)
            case .attachHigh: try attach("a", .high)
            case .attachOther: try attach("b", .normal)
            case .detachFirst: if let first = waiting.first { try detach(first) }
            case .detachLast: if let last = waiting.last { try detach(last) }
            case .raiseFirst: if !waiting.isEmpty { try change(0, .veryHigh) }
            case .lowerLast: if !waiting.isEmpty { try change(waiting.count - 1, .veryLow) }
            case .finishFirst: if let first = waiting.first { try finish(first.id.job) }
            }
        }

        private mutating func attach(_ key: String, _ priority: ImagePriority) throws(Difference) {
            let before = highest(key)
            let (id, attachment) = table.attach(key, at: priority)
            if let before {
                let raised = priority > before ? priority : nil
                try Self.check(attachment == .join(raisedTo: raised))
                try Self.check(waiting.contains { $0.key == key && $0.id.job == id.job })
            } else {
                try Self.check(attachment == .start)
            }
            waiting.append(Waiter(id: id, key: key, priority: priority))
        }

        private mutating func detach(_ waiter: Waiter) throws(Difference) {
            let before = highest(waiter.key)
            waiting.removeAll { $0.id == waiter.id }
            let after = highest(waiter.key)
            let expected: Table.Detachment
            if let after { expected = after == before ? .left : .lowered(to: after) } else { expected = .abandoned }
            try Self.check(table.detach(waiter.id) == expected)
            try Self.check(table.detach(waiter.id) == .unknown)
        }

        private mutating func change(_ index: Int, _ priority: ImagePriority) throws(Difference) {
            let before = highest(waiting[index].key)
            waiting[index].priority = priority
            let after = highest(waiting[index].key)
            try Self.check(table.reprioritize(waiting[index].id, to: priority) == (after == before ? nil : after))
        }

        private mutating func finish(_ job: JobID) throws(Difference) {
            let expected = waiting.filter { $0.id.job == job }
            waiting.removeAll { $0.id.job == job }
            try Self.check(table.finish(job).values == expected.map(\.priority))
            for waiter in expected { try Self.check(table.detach(waiter.id) == .unknown) }
        }

        /// Throws instead of recording an issue, which is slow, or ending the process.
        private static func check(_ isEqual: Bool, line: Int = #line) throws(Difference) {
            guard isEqual else { throw Difference(line: line) }
        }

        private func highest(_ key: String) -> ImagePriority? {
            waiting.filter { $0.key == key }.map(\.priority).max()
        }
    }
}
