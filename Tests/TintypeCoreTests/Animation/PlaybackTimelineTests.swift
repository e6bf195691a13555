import Testing
import TintypeTesting

@testable import TintypeCore

@Suite struct PlaybackTimelineTests {
    private static let durations = [0.1, 0.02, 0.3, 0.05]

    @Test(arguments: PlaybackMode.allCases, 1...4)
    func stepsLastAsLongAsTheirFrames(_ mode: PlaybackMode, _ count: Int) {
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

    @Test func whileFramesArriveTheOrderIsForwards() {
        let bounce = PlaybackTimeline(Self.durations, mode: .bounce, isComplete: false)
        #expect(bounce.order == FrameOrder(frameCount: 4, mode: .normal) && !bounce.isAwaitingStart)
        #expect(PlaybackTimeline(Self.durations, mode: .reverse, isComplete: false).isAwaitingStart)
        #expect(!PlaybackTimeline(Self.durations, mode: .reverse).isAwaitingStart)
    }

    @Test func longDurationsDoNotOverflow() {
        let timeline = PlaybackTimeline([.infinity, .greatestFiniteMagnitude, 1], mode: .bounce)
        #expect(
            timeline.loopDuration > .seconds(1_000_000) && timeline.step(at: timeline.loopDuration - .seconds(1)) == 3)
    }
}

@Suite struct FrameOrderTests {
    @Test(
        arguments: [
            (.normal, 1, [0]), (.reverse, 1, [0]), (.bounce, 1, [0]), (.reversedBounce, 1, [0]),
            (.normal, 2, [0, 1]), (.reverse, 2, [1, 0]), (.bounce, 2, [0, 1]), (.reversedBounce, 2, [1, 0]),
            (.normal, 4, [0, 1, 2, 3]), (.reverse, 4, [3, 2, 1, 0]), (.bounce, 4, [0, 1, 2, 3, 2, 1]),
            (.reversedBounce, 4, [3, 2, 1, 0, 1, 2]),
        ] as [(PlaybackMode, Int, [Int])])
    func aLoopShowsTheseFrames(_ mode: PlaybackMode, _ count: Int, _ frames: [Int]) {
        let order = FrameOrder(frameCount: count, mode: mode)
        #expect((0..<order.stepCount).map(order.frame(at:)) == frames)
    }

    @Test(arguments: PlaybackMode.allCases) func everyFrameHasAStepInEachDirection(_ mode: PlaybackMode) {
        for count in 1...6 {
            let order = FrameOrder(frameCount: count, mode: mode)
            for frame in 0..<count {
                let (there, back) = (order.step(of: frame), order.step(of: frame, isReturning: true))
                #expect(order.frame(at: there) == frame && order.frame(at: back) == frame && there < count)
                let isBetween = frame > 0 && frame < count - 1
                #expect(order.isReturning(at: back) == (mode.returns && isBetween))
            }
        }
    }

    @Test(
        arguments: [
            (.normal, 2, 1, 4, true), (.normal, 1, 1, 4, false), (.normal, 4, 1, 4, false), (.normal, 0, 1, 4, false),
            (.normal, 0, 4, 1, true), (.normal, 2, 4, 1, false), (.reverse, 4, 0, 2, true),
            (.bounce, 5, 4, 6, true), (.bounce, 3, 4, 6, false), (.bounce, 1, 3, 5, false), (.normal, 2, 3, 3, false),
        ] as [(PlaybackMode, Int, Int, Int, Bool)])
    func showsTellsWhetherAFrameLiesBetweenTwoSteps(
        _ mode: PlaybackMode, _ frame: Int, _ first: Int, _ last: Int, _ isBetween: Bool
    ) {
        let order = FrameOrder(frameCount: 6, mode: mode)
        #expect(order.shows(frame, after: first, before: last) == isBetween)
    }
}
