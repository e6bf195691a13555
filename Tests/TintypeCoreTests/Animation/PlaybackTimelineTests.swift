import Testing
import TintypeTesting

@testable import TintypeCore

@Suite struct PlaybackTimelineTests {
    private static let durations = [0.1, 0.02, 0.3, 0.05]

    @Test(arguments: PlaybackMode.allCases, 1...4)
    func stepsFollowEachOtherForAsLongAsTheirFrames(_ mode: PlaybackMode, _ count: Int) {
        let durations = Array(Self.durations.prefix(count))
        let timeline = PlaybackTimeline(durations, mode: mode)
        var time = Duration.zero
        for step in 0..<timeline.order.stepCount {
            let duration = Duration.seconds(durations[timeline.order.frame(at: step)])
            #expect(timeline.start(of: step) == time && timeline.duration(of: step) == duration)
            #expect(timeline.step(at: time) == step)
            time += duration
            #expect(timeline.step(at: time - .nanoseconds(1)) == step && timeline.end(of: step) == time)
        }
        #expect(timeline.loopDuration == time)
    }

    @Test func whileFramesAreToComeItIsPlayedForwards() {
        let bounce = PlaybackTimeline(Self.durations, mode: .bounce, isComplete: false)
        #expect(bounce.order == FrameOrder(frameCount: 4, mode: .normal) && !bounce.isAwaitingStart)
        #expect(PlaybackTimeline(Self.durations, mode: .reverse, isComplete: false).isAwaitingStart)
        #expect(!PlaybackTimeline(Self.durations, mode: .reverse).isAwaitingStart)
    }

    @Test func noDurationIsTooLongToAddUp() {
        let timeline = PlaybackTimeline([.infinity, .greatestFiniteMagnitude, 1], mode: .bounce)
        #expect(
            timeline.loopDuration > .seconds(1_000_000) && timeline.step(at: timeline.loopDuration - .seconds(1)) == 3)
    }
}
