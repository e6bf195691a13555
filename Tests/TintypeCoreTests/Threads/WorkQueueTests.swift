import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

@Suite(.timeLimited) struct WorkQueueTests {
    @Test func workRunsOnAThreadOfTheQueue() async throws {
        let queue = WorkQueue(name: "test", width: 2)
        let name = try await queue.run(for: JobContext(priority: .normal)) { () throws(TintypeError) in
            Thread.systemName
        }
        #expect(name == "test")
    }

    /// A queue of 4 threads, of which some are busy.
    @Test(arguments: [(busy: 0, wanted: 7, lent: 4), (1, 7, 3), (1, 2, 2), (4, 7, 0)])
    func threadsThatIdleAreLent(_ busy: Int, _ wanted: Int, _ lent: Int) {
        var state = WorkQueueState<Int>(width: 4)
        for _ in 0..<busy { _ = state.push(1, at: .normal) }
        for _ in 0..<busy { _ = state.pop() }
        let (first, rest) = (state.lend(atMost: wanted), state.lend(atMost: 7))
        #expect(first == lent && rest == 4 - busy - lent)
        // Work does not wait for those that are lent.
        let hasRoom = state.beginOnCaller()
        #expect(hasRoom == (busy < 4))
        if hasRoom { _ = state.endOnCaller() }
        state.lentCount -= 4 - busy
        let again = state.lend(atMost: 7)
        #expect(again == 4 - busy)
    }

    @Test func noThreadIsLentWhileWorkWaits() {
        var state = WorkQueueState<Int>(width: 4)
        _ = state.push(1, at: .normal)
        let lent = state.lend(atMost: 7)
        #expect(lent == 0)
    }

    /// One large image must not keep all others waiting.
    @Test func workDoesNotWaitForALentThread() async throws {
        let queue = WorkQueue(name: "test", width: 1)
        let lent = queue.lend(atMost: 7)
        try await queue.run(for: JobContext(priority: .normal)) { () throws(TintypeError) in }
        queue.takeBack(lent)
        #expect(lent == 1 && queue.lend(atMost: 7) == 1)
    }

    @Test func aLoanEndsWithItsImage() {
        let queue = WorkQueue(name: "test", width: 3)
        do {
            let spare = SpareThreads(of: queue, if: true)
            #expect(spare.count == 3 && queue.lend(atMost: 7) == 1)
        }
        #expect(queue.lend(atMost: 7) == 2)
    }

    @Test func smallImagesBorrowNothing() {
        let queue = WorkQueue(name: "test", width: 4)
        let spare = SpareThreads(of: queue, if: false)
        #expect(spare.count == 1 && queue.lend(atMost: 7) == 4)
    }

    @Test func errorsAreRethrown() async {
        let queue = WorkQueue(name: "test", width: 1)
        await expectError(.undecodable) {
            try await queue.run(for: JobContext(priority: .normal)) { () throws(TintypeError) in
                throw TintypeError(.undecodable, stage: .decode, "test")
            }
        }
    }

    @Test func theMostUrgentWorkRunsFirst() async throws {
        let queue = WorkQueue(name: "test", width: 1)
        let block = Block(queue)
        let order = Shared<[String]>([])
        await block.isRunning()
        for (name, priority) in [("low", ImagePriority.low), ("high", .high), ("normal", .normal)] {
            queue.enqueue(at: priority) { order.withLock { $0.append(name) } }
        }
        block.release()
        try await queue.run(for: JobContext(priority: .veryLow)) { () throws(TintypeError) in }
        #expect(order.withLock { $0 } == ["high", "normal", "low"])
    }

    @Test func workOfACancelledJobNeverStarts() async throws {
        let queue = WorkQueue(name: "test", width: 1)
        let block = Block(queue)
        await block.isRunning()
        let ran = Shared(false)
        let task = Task {
            try await queue.run(for: JobContext(priority: .normal)) { () throws(TintypeError) in
                ran.withLock { $0 = true }
            }
        }
        task.cancel()
        // The wait ends although the only thread is still busy.
        await expectError(.cancelled) { try await task.value }
        block.release()
        try await queue.run(for: JobContext(priority: .normal)) { () throws(TintypeError) in }
        #expect(!ran.withLock { $0 })
    }

    @Test func queuedWorkFollowsItsJobsPriority() async throws {
        let queue = WorkQueue(name: "test", width: 1)
        let block = Block(queue)
        await block.isRunning()
        let order = Shared<[String]>([])
        let job = JobContext(priority: .low)
        let entered = Gate()
        let follower = Task {
            entered.open()
            try await queue.run(for: job) { () throws(TintypeError) in order.withLock { $0.append("raised") } }
        }
        _ = await entered.wait()
        // The work may be queued before or after the priority is raised. In both cases it must run first.
        job.setPriority(.veryHigh)
        queue.enqueue(at: .normal) { order.withLock { $0.append("normal") } }
        while queue.waitingCount < 2 { await Task.yield() }
        // Raised again, because the work may be queued before it follows its job's priority.
        job.setPriority(.low)
        job.setPriority(.veryHigh)
        block.release()
        try await follower.value
        try await queue.run(for: JobContext(priority: .veryLow)) { () throws(TintypeError) in }
        #expect(order.withLock { $0 } == ["raised", "normal"])
    }

    @Test func workOnTheCallerCountsAsAThread() async throws {
        let queue = WorkQueue(name: "test", width: 1)
        let ran = Gate()
        let wasRunning = queue.runHere {
            #expect(!queue.runHere {})
            queue.enqueue(at: .high) { ran.open() }
            #expect(queue.waitingCount == 1)
        }
        #expect(wasRunning)
        // Work added meanwhile starts when the caller is done.
        _ = await ran.wait()
    }

    @Test func aBusyQueueRunsNoWorkOnTheCaller() async throws {
        let queue = WorkQueue(name: "test", width: 1)
        let block = Block(queue)
        await block.isRunning()
        #expect(!queue.runHere {})
        block.release()
    }

    @Test(arguments: [false, true]) func bothStepsRunOnOneThreadIfTheSecondQueueHasRoom(_ isBusy: Bool) async throws {
        let (first, second) = (WorkQueue(name: "first", width: 1), WorkQueue(name: "second", width: 1))
        let block = Block(second)
        await block.isRunning()
        if !isBusy {
            block.release()
            while !second.runHere({}) { await Task.yield() }
        }
        let names = Task {
            try await first.run(
                for: JobContext(priority: .normal), { () throws(TintypeError) in Thread.systemName }, then: second,
                { found throws(TintypeError) in [found, Thread.systemName] })
        }
        if isBusy {
            while second.waitingCount == 0 { await Task.yield() }
            block.release()
        }
        #expect(try await names.value == ["first", isBusy ? "second" : "first"])
    }

    /// Keeps the one thread of a queue busy until it is released.
    private final class Block: Sendable {
        private let running = Gate()
        private let released = DispatchSemaphore(value: 0)

        init(_ queue: WorkQueue) {
            queue.enqueue(at: .veryHigh) { [running, released] in
                running.open()
                released.wait()
            }
        }

        func isRunning() async { _ = await running.wait() }
        func release() { released.signal() }
    }
}

@Suite struct WorkQueueStateTests {
    @Test func aSleepingThreadIsWokenOnce() {
        var state = WorkQueueState<Int>(width: 2)
        let first = state.push(1, at: .normal).1
        let pieces = [state.pop(), state.pop()]
        let later = (2...4).map { state.push($0, at: .normal).1 }
        #expect(first == .startThread && pieces == [1, nil])
        #expect(later == [.signal, .startThread, .none])
    }

    @Test func workOnTheCallerDoesNotOvertakeQueuedWork() {
        var state = WorkQueueState<Int>(width: 2)
        _ = state.push(1, at: .normal)
        let early = state.beginOnCaller()
        _ = state.pop()
        let late = state.beginOnCaller()
        #expect(!early && late)
    }
}

extension Thread {
    /// The name of the calling thread in the system (proc(5)), or an empty string if the system does not offer it.
    fileprivate static var systemName: String {
        let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
        return (name ?? "").trimmingCharacters(in: .newlines)
    }
}
