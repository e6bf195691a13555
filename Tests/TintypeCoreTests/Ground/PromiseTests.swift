import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// Compares every interleaving of registration, cancellation and result with a plain model.
@Suite struct PromiseStateTests {
    private typealias State = PromiseState<String, Int>

    private enum Event: Hashable {
        case add(Int)
        case cancel(Int)
        case fulfill(String)
    }

    /// A model of a promise that only lists its events.
    private struct Model {
        var value: String?
        var waiting: [Int] = []
        var cancelled: Set<Int> = []
        var added: Set<Int> = []

        /// Returns the waiters that end, with their values.
        mutating func apply(_ event: Event) -> [Int: String] {
            switch event {
            case .add(let waiter):
                added.insert(waiter)
                if cancelled.contains(waiter) { return [waiter: "cancelled \(waiter)"] }
                if let value { return [waiter: value] }
                waiting.append(waiter)
                return [:]
            case .cancel(let waiter):
                guard value == nil else { return [:] }
                if !added.contains(waiter) { cancelled.insert(waiter) }
                guard let index = waiting.firstIndex(of: waiter) else { return [:] }
                waiting.remove(at: index)
                return [waiter: "cancelled \(waiter)"]
            case .fulfill(let new):
                guard value == nil else { return [:] }
                value = new
                cancelled = []
                defer { waiting = [] }
                return Dictionary(uniqueKeysWithValues: waiting.map { ($0, new) })
            }
        }
    }

    private func apply(_ event: Event, to state: inout State) -> [Int: String] {
        switch event {
        case .add(let waiter): return state.add(waiter, as: waiter).map { [waiter: $0] } ?? [:]
        case .cancel(let waiter):
            return state.cancel(waiter, with: "cancelled \(waiter)").map { [$0: "cancelled \(waiter)"] } ?? [:]
        case .fulfill(let value):
            let fulfilled = state.fulfill(value)
            let waiters = (fulfilled?.first.map { [$0] } ?? []) + (fulfilled?.others ?? [])
            #expect(waiters == waiters.sorted())
            return Dictionary(uniqueKeysWithValues: waiters.map { ($0, value) })
        }
    }

    /// Each waiter is registered once and cancelled at most once, in either order; two results compete.
    @Test func inEveryOrderOfEventsEachWaitEndsOnceWithTheExpectedValue() {
        let events: Set<Event> = [
            .add(1), .add(2), .add(3), .cancel(1), .cancel(2), .cancel(3), .fulfill("a"), .fulfill("b"),
        ]
        var count = 0
        func walk(_ state: State, _ model: Model, _ rest: Set<Event>, _ ended: Set<Int>) {
            count += 1
            if rest.isEmpty { #expect(ended == [1, 2, 3]) }
            for event in rest {
                var (state, model) = (state, model)
                let (resumed, expected) = (apply(event, to: &state), model.apply(event))
                #expect(resumed == expected && state.value == model.value)
                #expect(ended.isDisjoint(with: resumed.keys))
                walk(state, model, rest.subtracting([event]), ended.union(resumed.keys))
            }
        }
        walk(State(), Model(), events, [])
        #expect(count > 40_000)
    }
}

@Suite(.timeLimited) struct PromiseTests {
    @Test func aWaitAfterTheResultReturnsIt() async {
        let promise = SharedPromise<Int>()
        #expect(promise.fulfill(1))
        #expect(!promise.fulfill(2))
        #expect(await promise.wait { 3 } == 1)
        #expect(promise.promise.value == 1)
    }

    @Test func allWaitersGetTheResult() async {
        let promise = SharedPromise<Int>()
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<100 { group.addTask { await promise.wait { 0 } } }
            promise.fulfill(7)
            for await value in group { #expect(value == 7) }
        }
    }

    @Test func cancellingAWaiterEndsOnlyItsWait() async {
        let promise = SharedPromise<Int>()
        let entered = Gate()
        let cancelled = Task {
            entered.open()
            return await promise.wait { -1 }
        }
        let other = Task { await promise.wait { -1 } }
        _ = await entered.wait()
        cancelled.cancel()
        #expect(await cancelled.value == -1)
        #expect(promise.promise.value == nil)
        promise.fulfill(5)
        #expect(await other.value == 5)
    }

    @Test func aCancelledWaiterEndsAtOnce() async {
        let promise = SharedPromise<Int>()
        let waiter = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await promise.wait { -1 }
        }
        #expect(await waiter.value == -1)
    }

    @Test func aCancelledWaiterMayStayUntilTheResult() async {
        let promise = SharedPromise<Int>()
        let cancellations = Shared(0)
        let waiter = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await promise.wait {
                cancellations.withLock { $0 += 1 }
                return nil
            }
        }
        await cancellations.wait { $0 > 0 }
        promise.fulfill(9)
        #expect(await waiter.value == 9)
        #expect(cancellations.now == 1)
    }
}
