#if GTK
import CGTK
import Testing
import TestSupport
import TintypeCore

@testable import TintypeGTK

@Suite struct SizeStepsTests {
    @Test func theFirstImageHasTheExactSizeOfTheView() {
        var steps = SizeSteps()
        #expect(steps.wanted == nil)
        #expect(steps.setSize(PixelSize(width: 200, height: 0)) == false)
        #expect(steps.wanted == nil)
        #expect(steps.setSize(PixelSize(width: 200, height: 150)) == false)
        #expect(steps.wanted == PixelSize(width: 200, height: 150))
    }

    @Test func aViewThatShrinksKeepsItsImageAndTheNextOneIsExact() {
        var steps = SizeSteps()
        _ = steps.setSize(PixelSize(width: 200, height: 150))
        #expect(steps.setSize(PixelSize(width: 100, height: 75)) == false)
        #expect(steps.wanted == PixelSize(width: 200, height: 150))
        steps.startLoad()
        #expect(steps.wanted == PixelSize(width: 100, height: 75))
    }

    @Test func aViewThatGrowsPixelByPixelWantsFewSizes() {
        var steps = SizeSteps()
        _ = steps.setSize(PixelSize(width: 100, height: 100))
        var changes = 0
        for side in 101...1000 {
            let isTooSmall = steps.setSize(PixelSize(width: side, height: side))
            if isTooSmall { changes += 1 }
            #expect((steps.wanted?.width ?? 0) >= side)
        }
        #expect(changes == 11)
    }

    @Test(arguments: [(1, 32), (32, 32), (33, 40), (40, 40), (41, 50), (200, 239), (1000, 1137)])
    func stepsAreAQuarterApart(_ length: Int, _ step: Int) {
        #expect(SizeSteps.step(length) == step)
    }
}

@Suite struct PointsTests {
    @Test(arguments: [
        (100.0, 50.0, 1.0, 100, 50), (100, 50, 2, 200, 100), (33.4, 0.1, 3, 101, 1), (100, 33, 1.25, 125, 42),
        (0, 10, 2, 0, 20), (-5, 10, 1, 0, 10), (.nan, .infinity, 2, 0, 1 << 31), (1e300, 1, 1, 1 << 31, 1),
    ])
    func partOfAPixelCountsAsAPixel(_ width: Double, _ height: Double, _ scale: Double, _ across: Int, _ down: Int) {
        #expect(PixelSize(points: (width, height), scale: scale) == PixelSize(width: across, height: down))
    }
}

@Suite struct AlarmsTests {
    @Test func dueTimersFireInTheirOrderAndOnce() {
        var alarms = Alarms()
        let changes = [(1, 30), (2, 10), (3, 20)].map { alarms.set($0.0, for: .seconds($0.1)) }
        #expect(changes == [true, true, false])
        #expect(alarms.next == .seconds(10))
        #expect(alarms.takeDue(at: .seconds(25)) == [2, 3])
        #expect(alarms.takeDue(at: .seconds(25)) == [])
        #expect(alarms.next == .seconds(30))
    }

    @Test func aTimerThatIsSetAgainOrCancelledDoesNotFireAtItsFormerTime() {
        var alarms = Alarms()
        _ = alarms.set(1, for: .seconds(10))
        _ = alarms.set(2, for: .seconds(10))
        _ = alarms.set(1, for: .seconds(20))
        alarms.cancel(2)
        #expect(alarms.takeDue(at: .seconds(15)) == [])
        #expect(alarms.next == .seconds(20))
        #expect(alarms.takeDue(at: .seconds(20)) == [1])
        #expect(alarms.next == nil)
    }

    @Test(arguments: [
        (Duration.microseconds(3), Int64(3)), (.nanoseconds(3001), 4), (.seconds(Int64.max), 1 << 62),
    ])
    func timesAreWholeMicrosecondsAndTheLatestNeverComes(_ time: Duration, _ microseconds: Int64) {
        #expect(MainLoopTimer.microseconds(time) == microseconds)
    }
}

@Suite(.serialized, .needsScreen, .timeLimited) @MainActor struct MainLoopTimerTests {
    private let first = MainLoopTimer()
    private let second = MainLoopTimer()

    init() throws { try Screen.open() }

    @Test func aTimerThatAnotherOneSetsLaterDoesNotFireAtItsFormerTime() async {
        var calls: [String] = []
        let now = first.now
        second.set(for: now) { calls.append("former") }
        first.set(for: now - .seconds(1)) {
            second.set(for: now + .seconds(1000)) { calls.append("later") }
            calls.append("first")
        }
        await MainLoop.run { !calls.isEmpty }
        MainLoop.runPending()
        #expect(calls == ["first"])
        second.cancel()
    }

    @Test func timersThatAreDueTogetherHaveTheSameTime() async {
        var times: [Duration] = []
        for timer in [first, second] { timer.set(for: .zero) { times.append(timer.now) } }
        await MainLoop.run { times.count == 2 }
        #expect(times[0] == times[1])
    }

    /// Otherwise, the indicators of a window full of slow images hold up events when they appear.
    @Test func manyTimersThatAreDueTogetherTakeSeveralTurns() {
        var ticks = 0
        let timers = (0..<40).map { _ in MainLoopTimer() }
        for timer in timers {
            timer.set(for: .zero) {
                ticks += 1
                let start = g_get_monotonic_time()
                while g_get_monotonic_time() - start < 500 {}
            }
        }
        var most = 0
        while ticks < timers.count {
            let before = ticks
            g_main_context_iteration(nil, 1)
            most = max(most, ticks - before)
        }
        #expect(most <= 4)
    }

    /// As in a modal dialog.
    @Test func timersGoOnInAMainLoopThatATickRuns() async {
        var calls: [String] = []
        second.set(for: .microseconds(1)) { calls.append("due together") }
        let third = MainLoopTimer()
        first.set(for: .zero) {
            let start = first.now
            third.set(for: start + .milliseconds(1)) { calls.append("set within") }
            while calls.count < 2 { g_main_context_iteration(nil, 1) }
            #expect(first.now > start)
            calls.append("end")
        }
        await MainLoop.run { calls.last == "end" }
        #expect(calls == ["due together", "set within", "end"])
    }
}
#endif
