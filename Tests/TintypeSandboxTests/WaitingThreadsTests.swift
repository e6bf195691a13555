import Testing

@testable import TintypeSandbox

/// The order in which threads get workers.
@Suite struct WaitingThreadsTests {
    private static func queue(_ names: String...) -> WaitingThreads<String> {
        var queue = WaitingThreads<String>()
        for name in names { queue.add(name, ticket: queue.makeTicket()) }
        return queue
    }

    @Test func eachReleaseWakesAnotherThread() {
        var queue = Self.queue("a", "b")
        let (first, second, third) = (queue.takeFirst(), queue.takeFirst(), queue.takeFirst())
        #expect(first == "a" && second == "b" && third == nil)
    }

    @Test func aThreadThatWaitsAgainKeepsItsPlace() {
        var queue = Self.queue("a", "b", "c")
        let first = queue.takeFirst()
        queue.add("a", ticket: 1)
        let again = queue.takeFirst()
        #expect(first == "a" && again == "a")
    }

    @Test func aThreadPassesOnWhatDoesNotServeIt() {
        var queue = Self.queue("a", "b", "c")
        queue.remove(3)
        let behind = queue.takeFirst(after: 1)
        let none = queue.takeFirst(after: 1)
        #expect(behind == "b" && none == nil)
    }
}
