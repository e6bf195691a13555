import Testing

@testable import TintypeCore

@Suite struct PlayerStateTests {
    /// Returns a player of four frames of 100 ms that started at time zero and shows its first frame.
    private func playing(
        loopCount: Int = 0, isComplete: Bool = true, _ change: (inout PlaybackSettings) -> Void = { _ in }
    ) -> PlayerState {
        var settings = PlaybackSettings()
        change(&settings)
        var state = PlayerState([0.1, 0.1, 0.1, 0.1], loopCount: loopCount, isComplete: isComplete, settings: settings)
        state.play()
        state.updateClock(at: .zero)
        state.show(state.clock.frame)
        return state
    }

    @Test func onlyAPlayerThatPlaysEnds() {
        var state = playing(loopCount: 1)
        #expect(state.advance(to: .seconds(1)) == 1 && state.status == .ended)
        var stopped = state
        stopped.stop()
        _ = stopped.advance(to: .seconds(2))
        #expect(stopped.status == .stopped)
        state.pause()
        #expect(state.status == .ended)
        // After a seek, it does not play on by itself.
        state.seek(to: 1, finishedLoops: 0)
        #expect(state.status == .paused && state.isDue)
    }

    @Test func newSettingsApplyAtOnce() {
        var state = playing()
        _ = state.advance(to: .milliseconds(100))
        #expect(state.isDue && state.nextChange != nil)
        var settings = PlaybackSettings()
        settings.lateness = .wait
        state.set(settings)
        #expect(state.nextChange == nil)
    }

    @Test func aFrameThatCannotBeMadeIsNotLate() {
        var state = playing()
        _ = state.advance(to: .milliseconds(100))
        #expect(state.isLate)
        state.skipFrame()
        #expect(!state.isDue && !state.isLate)
    }

    @Test func anAnimationThatGrowsHasTheNewLoopCount() {
        var state = playing(isComplete: false)
        state.grow([0.1, 0.1, 0.1, 0.1, 0.1], loopCount: 2, isComplete: true)
        #expect(state.clock.loopCount == 2)
    }

    @Test func aWholeLoopMakesTheSameFrameDueAgain() {
        var state = playing()
        #expect(!state.isDue)
        #expect(state.advance(to: .milliseconds(400)) == 1 && state.clock.frame == 0 && state.isDue)
    }

    @Test func aFrameAfterASeekIsNotLate() {
        var state = playing()
        state.seek(to: 2, finishedLoops: 0)
        #expect(state.isDue && !state.isLate)
        _ = state.advance(to: .milliseconds(100))
        #expect(state.isDue && state.isLate)
    }

    @Test func aStoppedPlayerWantsNoFrames() {
        var state = playing()
        _ = state.advance(to: .milliseconds(100))
        #expect(state.isDue && state.wantsFrames)
        state.stop()
        #expect(!state.isDue && !state.wantsFrames)
    }

    @Test func growthMayMoveTheFrameAndTheLoopCount() {
        var state = playing(isComplete: false) { $0.mode = .reverse }
        #expect(state.clock.frame == 0 && !state.isDue)
        state.grow([0.1, 0.1, 0.1, 0.1, 0.1], loopCount: 3, isComplete: true)
        #expect(state.clock.frame == 4 && state.isDue)
        var settings = state.settings
        (settings.loopCount, settings.lateness) = (7, .wait)
        state.set(settings)
        #expect(state.clock.loopCount == 7 && state.clock.lateness == .wait)
        settings.loopCount = nil
        state.set(settings)
        #expect(state.clock.loopCount == 3)
    }

    @Test func aNewModeKeepsTheShownFrame() {
        var state = playing()
        _ = state.advance(to: .milliseconds(100))
        state.show(1)
        #expect(state.shown == (1, 1))
        var settings = state.settings
        settings.mode = .reverse
        state.set(settings)
        #expect(state.shown == (2, 1) && !state.isLate)
    }
}
