#if GTK
import Testing
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
}
#endif
