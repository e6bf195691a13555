import Testing
import TintypeTesting

@testable import TintypeCore
@testable import TintypeViews

@Suite @MainActor struct IndicatorDelayTests {
    private let shown = FakeIndicator()
    private let timer = ManualPlaybackTimer()
    private let indicator: any LoadIndicator

    init() { indicator = shown.delayed(timer: timer) }

    @Test func aShortLoadIsNotIndicated() {
        indicator.start()
        timer.advance(by: .milliseconds(199))
        indicator.stop()
        timer.advance(by: .seconds(5))
        #expect(shown.calls == [] && timer.ringTime == nil)
    }

    @Test func aLongLoadIsIndicatedAfterTheDelay() {
        indicator.start()
        indicator.update(LoadProgress(received: 10, expected: 100))
        #expect(shown.calls == [] && shown.progress == [])
        timer.advance(by: .milliseconds(200))
        #expect(shown.calls == ["start"] && shown.progress.map(\.received) == [10])
        indicator.update(LoadProgress(received: 20, expected: 100))
        #expect(shown.progress.map(\.received) == [10, 20])
        timer.advance(by: .seconds(1))
        indicator.stop()
        #expect(shown.calls == ["start", "stop"])
    }

    @Test func anIndicatorThatHasJustAppearedStaysForAMoment() {
        indicator.start()
        timer.advance(by: .milliseconds(250))
        indicator.stop()
        #expect(shown.calls == ["start"])
        timer.advance(by: .milliseconds(249))
        #expect(shown.calls == ["start"])
        timer.advance(by: .milliseconds(1))
        #expect(shown.calls == ["start", "stop"])
    }

    @Test func theNextLoadTakesAnIndicatorOverThatStillShows() {
        indicator.start()
        timer.advance(by: .milliseconds(250))
        indicator.stop()
        indicator.start()
        timer.advance(by: .seconds(2))
        #expect(shown.calls == ["start"])
        indicator.stop()
        #expect(shown.calls == ["start", "stop"])
    }

    @Test func anIndicatorThatIsReleasedWhileItShowsIsStopped() {
        var indicator: (any LoadIndicator)? = shown.delayed(timer: timer)
        indicator?.start()
        timer.advance(by: .milliseconds(250))
        indicator?.stop()
        #expect(shown.calls == ["start"])
        indicator = nil
        #expect(shown.calls == ["start", "stop"])
        timer.advance(by: .seconds(1))
        #expect(shown.calls == ["start", "stop"])
    }

    private enum Event: CaseIterable { case start, stop, wait, waitLong }

    @Test func everySequenceOfSevenEventsStartsAndStopsInTurns() {
        func walk(_ state: IndicatorDelay, _ now: Duration, _ isShown: Bool, _ depth: Int) {
            guard depth > 0 else { return }
            for event in Event.allCases {
                var (state, isShown, now) = (state, isShown, now)
                if event == .wait { now += .milliseconds(150) }
                if event == .waitLong { now += .seconds(1) }
                let action: IndicatorDelay.Action? =
                    switch event {
                    case .start: state.isLoading ? nil : state.start(at: now)
                    case .stop: state.isLoading ? state.stop(at: now) : nil
                    case .wait, .waitLong: state.advance(to: now)
                    }
                if let action {
                    if (action == .show) == isShown { Issue.record("shown or hidden twice") }
                    if (action == .show) != state.isLoading { Issue.record("shown without a load, or hidden in one") }
                    isShown = action == .show
                }
                if state.isShown != isShown { Issue.record("the state is wrong") }
                if event == .waitLong, isShown != state.isLoading { Issue.record("the delay has no end") }
                walk(state, now, isShown, depth - 1)
            }
        }
        walk(IndicatorDelay(delay: .milliseconds(200), minimum: .milliseconds(300)), .zero, false, 7)
    }
}
