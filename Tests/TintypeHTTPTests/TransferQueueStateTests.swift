import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeHTTP

@Suite struct TransferQueueStateTests {
    private typealias Queue = TransferQueueState<Int>

    private func queue(_ total: Int, _ perHost: Int = 100, _ order: DownloadOrder = .firstInFirstOut) -> Queue {
        Queue(Queue.Limits(total: total, perHost: perHost, order: order))
    }

    private func drain(_ queue: inout Queue) -> [Int] {
        var taken: [Int] = []
        while let next = queue.startNext() { taken.append(next) }
        return taken
    }

    @Test(arguments: [(DownloadOrder.firstInFirstOut, [5, 1, 3, 0, 2]), (.lastInFirstOut, [5, 3, 1, 2, 0])])
    func theMostUrgentTransferStartsFirst(_ order: DownloadOrder, _ expected: [Int]) {
        var queue = queue(100, 100, order)
        for (element, priority) in [(0, .low), (1, .normal), (2, .low), (3, .normal), (5, .high)]
            as [(Int, ImagePriority)]
        {
            _ = queue.push(element, host: "a", at: priority)
        }
        #expect(drain(&queue) == expected)
    }

    @Test func aTransferThatStartsAtOnceIsCounted() {
        var queue = queue(3, 2)
        let started = ["a", "a", "a", "b"].map { queue.tryStart(host: $0) }
        #expect(started == [true, true, false, true] && queue.runningCount == 3)
    }

    @Test func deferredTransfersTakeANewOrder() {
        var queue = queue(10, 1)
        for element in 0..<3 { _ = queue.push(element, host: "a", at: .normal) }
        #expect(drain(&queue) == [0])
        queue.change(Queue.Limits(total: 10, perHost: 1, order: .lastInFirstOut))
        #expect(drain(&queue) == [])
        queue.finish(host: "a")
        #expect(drain(&queue) == [2])
    }

    /// Hosts without transfers would fill the memory.
    private func hostCount(_ queue: Queue) -> Int? {
        Mirror(reflecting: queue).children.first { $0.label == "hosts" }.map {
            Mirror(reflecting: $0.value).children.count
        }
    }

    @Test func nothingIsLeftOfAHostWithoutTransfers() {
        var queue = queue(2)
        let tickets = (0..<4).map { queue.push($0, host: "a", at: .normal) }
        _ = queue.push(4, host: "b", at: .normal)
        #expect(drain(&queue) == [0, 1, 4] && hostCount(queue) == 2)
        let removed = queue.remove(tickets[2])
        queue.finish(host: "b")
        #expect(removed == 2 && hostCount(queue) == 1)
        queue.finish(host: "a")
        #expect(drain(&queue) == [3])
        for _ in 0..<2 { queue.finish(host: "a") }
        #expect(hostCount(queue) == 0 && queue.runningCount == 0 && queue.waitingCount == 0)
    }

    @Test func nothingIsLeftOfAHostThatHasNoSlots() {
        var queue = queue(2, 0)
        let tickets = (0..<2).map { queue.push($0, host: "a", at: .normal) }
        #expect(drain(&queue) == [] && hostCount(queue) == 1)
        let removed = tickets.map { queue.remove($0) }
        #expect(removed == [0, 1] && hostCount(queue) == 0)
        _ = queue.push(2, host: "a", at: .normal)
        #expect(drain(&queue) == [] && hostCount(queue) == 1)
        queue.change(Queue.Limits(total: 2, perHost: 0, order: .lastInFirstOut))
        #expect(hostCount(queue) == 0 && queue.waitingCount == 1)
    }

    @Test func aBusyHostDoesNotBlockOthers() {
        var queue = queue(4, 2)
        for element in 0..<4 { _ = queue.push(element, host: "a", at: .high) }
        for element in 10..<12 { _ = queue.push(element, host: "b", at: .low) }
        #expect(drain(&queue) == [0, 1, 10, 11])
        queue.finish(host: "b")
        #expect(drain(&queue) == [])
        queue.finish(host: "a")
        #expect(drain(&queue) == [2])
    }

    @Test func aRemovedTransferIsReplacedByTheNextOfItsHost() {
        var queue = queue(1, 1)
        let numbers = (0..<4).map { queue.push($0, host: "a", at: .normal) }
        _ = queue.push(9, host: "b", at: .veryLow)
        #expect(drain(&queue) == [0])
        queue.isSuspended = true
        queue.finish(host: "a")
        #expect(queue.remove(numbers[1]) == 1 && queue.remove(numbers[2]) == 2)
        queue.isSuspended = false
        #expect(drain(&queue) == [3])
        queue.finish(host: "a")
        #expect(drain(&queue) == [9])
    }

    @Test(arguments: [1, 2]) func aTransferThatMovesOftenStartsOnce(_ perHost: Int) {
        var queue = queue(2, perHost)
        _ = queue.push(0, host: "a", at: .high)
        let ticket = queue.push(1, host: "a", at: .low)
        for number in 0..<1_000 {
            queue.move(ticket, to: number.isMultiple(of: 2) ? .high : .low)
            // With one slot for the host, the transfer steps aside, and each move returns it.
            if number == 500 { #expect(drain(&queue) == (perHost == 1 ? [0] : [0, 1])) }
        }
        #expect(queue.waitingCount == 2 - perHost)
        queue.finish(host: "a")
        #expect(drain(&queue) == (perHost == 1 ? [1] : []))
        queue.finish(host: "a")
        #expect(drain(&queue) == [] && queue.waitingCount == 0)
    }

    @Test func limitsChangeWhileItRuns() {
        var queue = queue(1, 1)
        for element in 0..<6 { _ = queue.push(element, host: "a", at: .normal) }
        #expect(drain(&queue) == [0])
        queue.change(Queue.Limits(total: 3, perHost: 3, order: .lastInFirstOut))
        #expect(drain(&queue) == [5, 4])
        queue.change(Queue.Limits(total: 1, perHost: 3, order: .firstInFirstOut))
        for _ in 0..<2 { queue.finish(host: "a") }
        #expect(drain(&queue) == [])
        queue.finish(host: "a")
        #expect(drain(&queue) == [1])
    }

    @Test func aTransferStartsAtOnceIfNoOtherWaits() {
        var queue = queue(2, 1)
        let alone = [queue.tryStart(host: "a"), queue.tryStart(host: "a")]
        #expect(alone == [true, false])
        _ = queue.push(1, host: "a", at: .normal)
        // There is room for this one, but waiting transfers come first.
        let behind = queue.tryStart(host: "b")
        #expect(drain(&queue) == [])
        #expect(!behind && queue.runningCount == 1)
        queue.finish(host: "a")
        #expect(drain(&queue) == [1])
        let last = [queue.tryStart(host: "b"), queue.tryStart(host: "c")]
        #expect(last == [true, false])
    }

    @Test func aTransferThatBecomesLessUrgentIsOvertakenByTheNextOfItsHost() {
        var queue = queue(1, 1)
        let numbers = (0..<3).map { queue.push($0, host: "a", at: .normal) }
        #expect(queue.startNext() == 0)
        queue.change(Queue.Limits(total: 2, perHost: 1, order: .firstInFirstOut))
        #expect(queue.startNext() == nil)
        queue.finish(host: "a")
        queue.move(numbers[1], to: .low)
        #expect(queue.startNext() == 2)
    }

    // MARK: Fairness

    @Test func oneHostNeverHoldsAllSlots() {
        var queue = queue(3, 6)
        for element in 0..<9 { _ = queue.push(element, host: "slow", at: .high) }
        #expect(drain(&queue) == [0, 1, 2])
        for element in 10..<12 { _ = queue.push(element, host: "b", at: .low) }
        _ = queue.push(20, host: "c", at: .veryLow)
        #expect(drain(&queue) == [10])
        queue.finish(host: "b")
        #expect(drain(&queue) == [11])
        queue.finish(host: "b")
        #expect(drain(&queue) == [20])
        queue.finish(host: "slow")
        #expect(drain(&queue) == [])
        queue.finish(host: "c")
        #expect(drain(&queue) == [3])
    }

    @Test func aTransferOfAnotherHostStartsAtOnceBesideAHostWithAllSlots() {
        var queue = queue(2)
        let starts = ["slow", "slow", "slow", "b", "b", "c"].map { queue.tryStart(host: $0) }
        #expect(starts == [true, true, false, true, false, false])
    }

    @Test func aSingleSlotIsNotExceeded() {
        var queue = queue(1)
        let starts = ["slow", "b"].map { queue.tryStart(host: $0) }
        _ = queue.push(1, host: "b", at: .high)
        #expect(starts == [true, false] && drain(&queue) == [])
    }

    @Test func withoutRoomForAHostNothingStarts() {
        var queue = queue(1, 0)
        let begins = queue.tryStart(host: "a")
        _ = queue.push(1, host: "a", at: .normal)
        #expect(!begins && queue.startNext() == nil)
    }

    @Test func aSuspendedQueueStartsNothing() {
        var queue = queue(2)
        queue.isSuspended = true
        let begins = queue.tryStart(host: "a")
        #expect(!begins)
        _ = queue.push(1, host: "a", at: .normal)
        #expect(drain(&queue) == [])
        queue.isSuspended = false
        #expect(drain(&queue) == [1])
    }

    /// Compares with a simple model: the next transfer is the first, by priority and age, whose host has room.
    @Test func anyHistoryMatchesTheModel() {
        var random = SeededRandom.printed("TransferQueue")
        for _ in 0..<300 { playHistory(&random) }
    }

    private struct Waiting {
        let element: Int
        let ticket: QueueTicket
        let host: String
        var priority: ImagePriority
    }

    private func playHistory(_ random: inout SeededRandom) {
        var limits = randomLimits(&random)
        var queue = Queue(limits)
        var waiting: [Waiting] = []
        var running: [String] = []
        for step in 0..<120 {
            switch Int.random(in: 0..<25, using: &random) {
            case 0..<8:
                let host = ["a", "b", "c"].randomElement(using: &random) ?? "a"
                let priority = ImagePriority.allCases.randomElement(using: &random) ?? .normal
                let ticket = queue.push(step, host: host, at: priority)
                waiting.append(Waiting(element: step, ticket: ticket, host: host, priority: priority))
            case 8..<12:
                guard let index = waiting.indices.randomElement(using: &random) else { continue }
                waiting[index].priority = ImagePriority.allCases.randomElement(using: &random) ?? .normal
                queue.move(waiting[index].ticket, to: waiting[index].priority)
            case 12..<16:
                guard let index = waiting.indices.randomElement(using: &random) else { continue }
                let left = waiting.remove(at: index)
                #expect(queue.remove(left.ticket) == left.element)
            case 16..<20:
                guard let index = running.indices.randomElement(using: &random) else { continue }
                queue.finish(host: running.remove(at: index))
            case 20:
                limits = randomLimits(&random)
                queue.change(limits)
            default:
                let hasRoom = running.count < limits.total || limits.total > 1 && Set(running).count == 1
                let expected = hasRoom ? first(waiting, running, limits) : nil
                #expect(queue.startNext() == expected?.element)
                guard let expected else { continue }
                waiting.removeAll { $0.ticket == expected.ticket }
                running.append(expected.host)
            }
            #expect(queue.waitingCount == waiting.count && queue.runningCount == running.count)
        }
    }

    private func randomLimits(_ random: inout SeededRandom) -> Queue.Limits {
        Queue.Limits(
            total: Int.random(in: 1...4, using: &random), perHost: Int.random(in: 1...3, using: &random),
            order: Bool.random(using: &random) ? .firstInFirstOut : .lastInFirstOut)
    }

    private func first(_ waiting: [Waiting], _ running: [String], _ limits: Queue.Limits) -> Waiting? {
        waiting.filter { candidate in running.count { $0 == candidate.host } < min(limits.perHost, limits.total) }
            .max { left, right in
                let isOlder =
                    limits.order == .firstInFirstOut ? left.element > right.element : left.element < right.element
                return left.priority == right.priority ? isOlder : left.priority < right.priority
            }
    }
}
