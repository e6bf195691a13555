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
        #expect(timeline.loop == time)
    }

    @Test func whileFramesAreToComeItIsPlayedForwards() {
        let bounce = PlaybackTimeline(Self.durations, mode: .bounce, isWhole: false)
        #expect(bounce.order == FrameOrder(frameCount: 4, mode: .normal) && !bounce.isHeld)
        #expect(PlaybackTimeline(Self.durations, mode: .reverse, isWhole: false).isHeld)
        #expect(!PlaybackTimeline(Self.durations, mode: .reverse).isHeld)
    }

    @Test func noDurationIsTooLongToAddUp() {
        let timeline = PlaybackTimeline([.infinity, .greatestFiniteMagnitude, 1], mode: .bounce)
        #expect(timeline.loop > .seconds(1_000_000) && timeline.step(at: timeline.loop - .seconds(1)) == 3)
    }
}
