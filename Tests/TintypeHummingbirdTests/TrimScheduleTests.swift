import Testing

@testable import TintypeHummingbird

@Suite struct TrimScheduleTests {
    @Test func memoryIsReturnedOnceAfterTheLastImage() {
        var schedule = TrimSchedule()
        let looks: [(finished: Int, isIdle: Bool, trims: Bool)] = [
            (0, true, false), (3, false, false), (0, false, false), (0, true, true), (0, true, false), (1, true, true),
            (0, true, false),
        ]
        for look in looks { #expect(schedule.look(finishedCount: look.finished, isIdle: look.isIdle) == look.trims) }
    }
}
