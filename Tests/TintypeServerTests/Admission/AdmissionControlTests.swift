import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeServer

@Suite struct AdmissionControlTests {
    private static let deadline = Duration.seconds(3600)

    private static func control(workers: Int = 1, bytes: Int = 100, _ clock: ManualClock = ManualClock())
        -> AdmissionControl
    {
        AdmissionControl(AdmissionLimits(workers: workers, decodedBytes: bytes), time: clock.timeSource)
    }

    private static func untilWaiting(_ count: Int, _ control: AdmissionControl) async {
        while control.status.waitingCount != count { await Task.yield() }
    }

    @Test func aWaitingRequestGetsTheSlotOfOneThatEnds() async throws {
        let control = Self.control()
        let first = try await control.admit(bytes: 1, deadline: Self.deadline)
        let second = Task { try await control.admit(bytes: 2, deadline: Self.deadline) }
        await Self.untilWaiting(1, control)
        first.release()
        let slot = try await second.value
        #expect(control.status.decodedBytes == 2)
        slot.release()
        #expect(control.status.runningCount == 0)
    }

    @Test func aSlotEndsWithItsObject() async throws {
        let control = Self.control()
        func use() async throws { _ = try await control.admit(bytes: 1, deadline: Self.deadline) }
        for _ in 0..<10 { try await use() }
        #expect(control.status.runningCount == 0 && control.status.decodedBytes == 0)
    }

    @Test func aClientThatLeavesTheQueueHoldsNothing() async throws {
        let control = Self.control()
        let first = try await control.admit(bytes: 1, deadline: Self.deadline)
        let second = Task { () async -> AdmissionRefusal? in
            do throws(AdmissionRefusal) {
                _ = try await control.admit(bytes: 2, deadline: Self.deadline)
                return nil
            } catch { return error }
        }
        await Self.untilWaiting(1, control)
        second.cancel()
        #expect(await second.value == .cancelled)
        #expect(control.status.waitingCount == 0)
        first.release()
        #expect(control.status.runningCount == 0)
    }

    @Test func aCancelledTaskIsNotAdmitted() async {
        let control = Self.control()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await #expect(throws: AdmissionRefusal.cancelled) {
                try await control.admit(bytes: 1, deadline: Self.deadline)
            }
        }
        await task.value
        #expect(control.status.runningCount == 0)
    }

    @Test func aDeadlineEndsTheWait() async throws {
        let clock = ManualClock()
        let control = Self.control(clock)
        let first = try await control.admit(bytes: 1, deadline: Self.deadline)
        // The timer runs on the real clock, the deadline is on that of the test: the end of another request finds it.
        let second = Task { try await control.admit(bytes: 1, deadline: .seconds(5)) }
        await Self.untilWaiting(1, control)
        clock.advance(by: .seconds(6))
        first.release()
        await #expect(throws: AdmissionRefusal.deadline) { try await second.value }
        #expect(control.status.runningCount == 0 && control.status.waitingCount == 0)
    }

    @Test func aTimerEndsTheWaitWithoutAnyOtherEvent() async throws {
        let control = AdmissionControl(AdmissionLimits(workers: 1, decodedBytes: 1))
        let now = TimeSource.system.uptime()
        let first = try await control.admit(bytes: 1, deadline: now + .seconds(60))
        await #expect(throws: AdmissionRefusal.deadline) {
            try await control.admit(bytes: 1, deadline: now + .milliseconds(20))
        }
        first.release()
    }

    @Test func aDrainingControlRefuses() async {
        let control = Self.control()
        control.drain()
        await #expect(throws: AdmissionRefusal.draining) { try await control.admit(bytes: 1, deadline: Self.deadline) }
    }

    @Test func aThousandRequestsWithCancellationsLoseNoSlot() async throws {
        let control = AdmissionControl(
            AdmissionLimits(workers: 4, decodedBytes: 100, queueLength: 2000), time: ManualClock().timeSource)
        await withTaskGroup { group in
            for number in 0..<1000 {
                group.addTask {
                    let task = Task {
                        let slot = try await control.admit(bytes: number % 120, deadline: Self.deadline)
                        let status = control.status
                        #expect(status.decodedBytes <= 100 || status.runningCount == 1)
                        await Task.yield()
                        slot.release()
                    }
                    if number % 3 == 0 { task.cancel() }
                    _ = await task.result
                }
            }
        }
        #expect(control.status.runningCount == 0 && control.status.waitingCount == 0)
        #expect(control.status.decodedBytes == 0)
    }
}
