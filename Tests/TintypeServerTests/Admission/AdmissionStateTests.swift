import Testing

@testable import TintypeServer

@Suite struct AdmissionStateTests {
    private typealias State = AdmissionState<Int>

    private static func seconds(_ number: Int) -> Duration { .seconds(number) }

    private static func arrive(
        _ state: inout State, _ waiter: Int, _ bytes: Int, deadline: Int = 100, now: Int = 0
    ) -> State.Arrival {
        state.arrive(waiter, bytes: bytes, deadline: seconds(deadline), now: seconds(now))
    }

    private static func admitted(_ state: inout State, now: Int = 0) -> [Int] {
        var waiters: [Int] = []
        while let outcome = state.next(now: seconds(now)) {
            if case .admitted(_, let waiter) = outcome { waiters.append(waiter) }
        }
        return waiters
    }

    private static func ticket(_ arrival: State.Arrival) -> AdmissionTicket? {
        switch arrival {
        case .admitted(let ticket), .queued(let ticket): ticket
        case .refused: nil
        }
    }

    @Test func limitsAreAtLeastOneWorkerOneByteAndNoQueue() {
        let limits = AdmissionLimits(workers: 0, decodedBytes: -1, queueLength: -1)
        #expect(limits.workers == 1 && limits.decodedBytes == 1 && limits.queueLength == 0)
        #expect(limits.overloadedQueueLength == 0)
        let usual = AdmissionLimits(workers: 3, decodedBytes: 1)
        #expect(usual.queueLength == 12 && usual.overloadedQueueLength == 3)
    }

    /// Without a queue, a request is refused if no worker is free.
    @Test(arguments: [
        (2, 0, [false, false, true]), (1, 1, [false, false, true]), (1, 2, [false, false, false, true]),
    ])
    func theQueueIsFullAtItsLength(_ workers: Int, _ length: Int, _ expected: [Bool]) {
        var state = State(AdmissionLimits(workers: workers, decodedBytes: 100, queueLength: length))
        let full = expected.indices.map { index in
            if index > 0 { _ = Self.arrive(&state, index, 1) }
            return state.status(now: .zero).isQueueFull
        }
        #expect(full == expected)
    }

    @Test func bytesAreABudgetAndNotACount() throws {
        var state = State(AdmissionLimits(workers: 8, decodedBytes: 100))
        let first = try #require(Self.ticket(Self.arrive(&state, 0, 60)))
        guard case .queued = Self.arrive(&state, 1, 60) else { Issue.record("admitted beyond the bytes"); return }
        guard case .queued = Self.arrive(&state, 2, 1) else { Issue.record("admitted before an earlier one"); return }
        #expect(Self.admitted(&state) == [])
        state.end(first)
        #expect(Self.admitted(&state) == [1, 2] && state.decodedBytes == 61)
    }

    @Test func anImageLargerThanTheBudgetRunsAlone() throws {
        var state = State(AdmissionLimits(workers: 8, decodedBytes: 100))
        let small = try #require(Self.ticket(Self.arrive(&state, 0, 10)))
        let large = try #require(Self.ticket(Self.arrive(&state, 1, 1000)))
        _ = Self.arrive(&state, 2, 10)
        #expect(Self.admitted(&state) == [])
        state.end(small)
        #expect(Self.admitted(&state) == [1])
        state.end(large)
        #expect(Self.admitted(&state) == [2])
    }

    @Test func aFullQueueRefuses() {
        var state = State(AdmissionLimits(workers: 2, decodedBytes: 100))
        let arrivals = (0..<12).map { Self.arrive(&state, $0, 1) }
        #expect(arrivals.last == .refused(.queueFull) && arrivals.filter { $0 == .refused(.queueFull) }.count == 2)
        #expect(state.status(now: .zero).isQueueFull && state.status(now: .zero).waitingCount == 8)
    }

    /// A burst may fill the queue. Once a request was refused, fewer may wait, until a worker has nothing to do.
    @Test func theQueueIsShorterUnderOverload() throws {
        var state = State(AdmissionLimits(workers: 1, decodedBytes: 100))
        func refusals(of count: Int) -> Int {
            (0..<count).count { Self.arrive(&state, $0, 1) == .refused(.queueFull) }
        }
        var running = try #require(Self.ticket(Self.arrive(&state, 0, 1)))
        #expect(refusals(of: 5) == 1)
        for _ in 1...3 {
            state.end(running)
            guard case .admitted(let ticket, _)? = state.next(now: .zero) else { Issue.record("waits"); return }
            running = ticket
        }
        #expect(state.status(now: .zero).waitingCount == 1 && refusals(of: 2) == 2)
        state.end(running)
        guard case .admitted(let last, _)? = state.next(now: .zero) else { Issue.record("waits"); return }
        #expect(state.next(now: .zero) == nil && refusals(of: 2) == 1)
        state.end(last)
        guard case .admitted(let newest, _)? = state.next(now: .zero) else { Issue.record("waits"); return }
        state.end(newest)
        #expect(state.next(now: .zero) == nil && refusals(of: 6) == 1)
    }

    @Test func aRequestPastItsDeadlineIsDropped() throws {
        var state = State(AdmissionLimits(workers: 1, decodedBytes: 100))
        let first = try #require(Self.ticket(Self.arrive(&state, 0, 1)))
        _ = Self.arrive(&state, 1, 1, deadline: 5)
        _ = Self.arrive(&state, 2, 1, deadline: 50)
        #expect(Self.arrive(&state, 3, 1, deadline: 4, now: 4) == .refused(.deadline))
        state.end(first)
        #expect(Self.admitted(&state, now: 5) == [2])
    }

    @Test func aDrainingServerFinishesWhatWaits() throws {
        var state = State(AdmissionLimits(workers: 1, decodedBytes: 100))
        let first = try #require(Self.ticket(Self.arrive(&state, 0, 1)))
        _ = Self.arrive(&state, 1, 1)
        state.drain()
        #expect(Self.arrive(&state, 2, 1) == .refused(.draining))
        state.end(first)
        #expect(Self.admitted(&state) == [1])
    }

    @Test func leavingTwiceAndEndingTwiceChangesNothing() throws {
        var state = State(AdmissionLimits(workers: 1, decodedBytes: 100))
        let first = try #require(Self.ticket(Self.arrive(&state, 0, 7)))
        let second = try #require(Self.ticket(Self.arrive(&state, 1, 7)))
        #expect(state.leave(first) == nil && state.decodedBytes == 7)
        #expect(state.leave(second) == 1 && state.leave(second) == nil)
        for _ in 0..<2 { state.end(first) }
        #expect(state.decodedBytes == 0)
    }

    @Test func hugeEstimatesDoNotOverflow() {
        var state = State(AdmissionLimits(workers: 4, decodedBytes: .max))
        for waiter in 0..<4 { _ = Self.arrive(&state, waiter, .max) }
        #expect(state.decodedBytes > 0)
        _ = Self.arrive(&state, 5, -1)
        #expect(state.decodedBytes > 0)
    }

    @Test func theStatusTellsTheOldestJob() throws {
        var state = State(AdmissionLimits(workers: 2, decodedBytes: 100))
        #expect(state.status(now: .seconds(9)).oldestJobAge == nil)
        _ = Self.arrive(&state, 0, 1, now: 1)
        _ = Self.arrive(&state, 1, 1, now: 3)
        _ = Self.arrive(&state, 2, 1, now: 4)
        let status = state.status(now: .seconds(9))
        #expect(status.oldestJobAge == .seconds(8) && status.youngestJobAge == .seconds(6))
        #expect(status.oldestWaitAge == .seconds(5) && status.utilization == 100)
    }
}
