import TestSupport
import Testing
import TintypeTesting

@testable import TintypeServer

@Suite(.timeLimited) struct SharedWorkTests {
    private let work = SharedWork<String, Int>(abandoned: 100)

    /// Returns the number of the call. The first one waits until it is cancelled.
    private static func number(_ calls: Shared<Int>, _ gate: Gate) async -> Int {
        let number = calls.withLock { count in
            count += 1
            return count
        }
        if number == 1 { _ = await gate.wait() }
        return number
    }

    @Test func workThatAPauseEndsBeginsAgain() async {
        let (calls, gate) = (Shared(0), Gate())
        async let first = work.value(for: "a") { await Self.number(calls, gate) }
        await gate.waitForArrivals(1)
        async let second = work.value(for: "a") { await Self.number(calls, gate) }
        // No work begins during the pause.
        await work.pausing({ $0 == "a" }) { #expect(calls.now == 1) }
        let values = [await first.value, await second.value]
        #expect(values.allSatisfy { $0 > 1 })
        #expect(await work.value(for: "a") { 9 }.isShared == false)
    }

    /// A request that has gone must not be taken for one that waits.
    @Test func aRequestThatHasGoneDoesNotKeepOthersFromBeginningAgain() async {
        for _ in 0..<50 {
            let (calls, gate) = (Shared(0), Gate())
            async let first = work.value(for: "a") { await Self.number(calls, gate) }
            await gate.waitForArrivals(1)
            // They have joined the work of the first one when they have been made.
            let others = (0..<4).map { _ in
                Task.immediate { [work] in await work.value(for: "a") { await Self.number(calls, gate) } }
            }
            for other in others { other.cancel() }
            await work.pausing({ $0 == "a" }) {}
            #expect(await first.value > 1)
            for other in others { _ = await other.value }
        }
    }

    @Test func otherKeysGoOnDuringAPause() async throws {
        await work.pausing({ $0 == "a" }) {
            let value = await work.value(for: "b") { 7 }
            #expect(value.value == 7 && !value.isShared)
        }
        #expect(await work.value(for: "a") { 8 }.value == 8)
    }

    @Test func pausesOfAKeyFollowEachOther() async {
        let running = Shared(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    await work.pausing({ $0 == "a" }) {
                        running.withLock { $0 += 1 }
                        await Task.yield()
                        #expect(running.now == 1)
                        running.withLock { $0 -= 1 }
                    }
                }
            }
        }
        #expect(await work.value(for: "a") { 3 }.value == 3)
    }
}
