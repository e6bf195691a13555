import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeShared

@Suite(.timeLimited) struct StoreCallerTests {
    private let clock = ManualClock()
    private let store = FakeSharedStore()
    private let waits = Shared<[Duration]>([])

    /// A caller whose patience ends at once, and whose calls have no limit.
    private func caller() -> StoreCaller {
        let waits = waits
        let time = StoreClock(
            time: clock.timeSource,
            sleep: { delay in
                guard delay < .seconds(10) else {
                    guard await Gate().wait() else { throw CancellationError() }
                    return
                }
                waits.withLock { $0.append(delay) }
            }, random: { 0.5 })
        return StoreCaller("fake", time)
    }

    private static let time = CallTime(limit: .seconds(10), wait: .milliseconds(50)...Duration.milliseconds(250))

    private func read(_ caller: StoreCaller) async -> StoreCaller.Result<Data?> {
        await caller.call(Self.time) { [store] () async throws(TintypeError) in try await store.value(for: "a") }
    }

    private func isTimeout(_ result: StoreCaller.Result<Data?>) -> Bool {
        if case .failure(let error) = result { error.code == .timedOut } else { false }
    }

    @Test func callersLeaveAStoreThatDoesNotAnswerAndTheThirdOpensTheBreaker() async {
        let caller = caller()
        store.behave(.hanging)
        for _ in 0..<3 { #expect(isTimeout(await read(caller))) }
        #expect(caller.breakerState == .open)
        guard case .skipped = await read(caller) else {
            Issue.record("the store was called")
            return
        }
        // Nothing is known of the store, so the first waits for the upper bound. It makes the others doubt.
        #expect(waits.now == [.milliseconds(250), .milliseconds(50), .milliseconds(50)])
        store.endHangs()
    }

    /// When a fast store stops answering, the first caller waits 50 ms, and the next ones 10 ms. After an answer,
    /// callers wait as before.
    @Test func afterACallWithoutAnAnswerTheNextOnesWaitForLess() async {
        let caller = caller()
        // Whose callers wait until it has ended.
        let patient = CallTime(limit: .seconds(10), wait: .seconds(10)...Duration.seconds(10))
        func answer(_ time: CallTime) async {
            _ = await caller.call(time) { [store] () async throws(TintypeError) in try await store.value(for: "a") }
        }
        for _ in 0..<3 { await answer(patient) }
        store.behave(.hanging)
        for _ in 0..<2 { #expect(isTimeout(await read(caller))) }
        #expect(waits.now == [.milliseconds(50), .milliseconds(10)] && caller.breakerState == .closed)
        store.endHangs()
        store.behave(.normal)
        await answer(CallTime(limit: .seconds(10)))
        store.behave(.hanging)
        #expect(isTimeout(await read(caller)))
        #expect(waits.now.last == .milliseconds(50))
        store.endHangs()
    }

    @Test func aProbeDecidesWhenItsCallerHasLeft() async {
        let (caller, gate) = (caller(), Gate())
        store.behave(.gated(gate))
        for _ in 0..<3 { _ = await read(caller) }
        clock.advance(by: .seconds(1))
        #expect(isTimeout(await read(caller)))
        // It has waited for a fifth of the lower bound.
        #expect(waits.now.last == .milliseconds(10) && caller.breakerState == .halfOpen)
        gate.open()
        while caller.breakerState != .closed { await Task.yield() }
    }

    @Test func aBlockedCallerLeavesToo() {
        let (caller, store) = (caller(), store)
        store.behave(.hanging)
        let time = CallTime(limit: .seconds(10), wait: .milliseconds(1)...Duration.milliseconds(1))
        for _ in 0..<3 {
            let result = caller.blockingCall(time) { () async throws(TintypeError) in try await store.value(for: "a") }
            #expect(isTimeout(result))
        }
        #expect(caller.breakerState == .open)
        store.endHangs()
    }

    /// A call that ends when its caller has left tells how long the store takes now.
    @Test func aCallIsMeasuredAfterItsCallerHasLeft() async {
        let (caller, gate) = (caller(), Gate())
        let time = CallTime(limit: .seconds(10), wait: .milliseconds(50)...Duration.seconds(2))
        let read = { [store] in
            await caller.call(time) { () async throws(TintypeError) in try await store.value(for: "a") }
        }
        store.behave(.failure(TintypeError(.timedOut, stage: .disk, "no answer")))
        for _ in 0..<3 { _ = await read() }
        clock.advance(by: .seconds(1))
        store.behave(.gated(gate))
        #expect(isTimeout(await read()))
        clock.advance(by: .milliseconds(100))
        gate.open()
        while caller.breakerState != .closed { await Task.yield() }
        store.behave(.hanging)
        _ = await read()
        // Twice the time of the only call that has ended well.
        #expect(waits.now.last == .milliseconds(200))
        store.endHangs()
    }
}
