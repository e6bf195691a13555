import Testing

@testable import TintypeCore

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

    @Test(arguments: PlaybackMode.allCases) func everyFrameHasAStepOnEachWay(_ mode: PlaybackMode) {
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
    func aFrameBetweenTwoStepsIsNewerThanTheFirst(
        _ mode: PlaybackMode, _ frame: Int, _ first: Int, _ last: Int, _ isBetween: Bool
    ) {
        let order = FrameOrder(frameCount: 6, mode: mode)
        #expect(order.shows(frame, after: first, before: last) == isBetween)
    }
}
