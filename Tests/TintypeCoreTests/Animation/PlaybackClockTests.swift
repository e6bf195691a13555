import Testing
import TintypeTesting

@testable import TintypeCore

@Suite struct PlaybackClockTests {
    private static let durations = [0.1, 0.02, 0.3, 0.05]

    private func clock(
        _ mode: PlaybackMode = .normal, loopCount: Int = 0, _ lateness: PlaybackSettings.Lateness = .skip,
        isComplete: Bool = true
    ) -> PlaybackClock {
        var clock = PlaybackClock(
            PlaybackTimeline(Self.durations, mode: mode, isComplete: isComplete), loopCount: loopCount,
            lateness: lateness)
        clock.run(from: .zero)
        return clock
    }

    /// The frame at every 10 ms of one loop.
    private static let tens: [PlaybackMode: [Int]] = {
        let frames: [PlaybackMode: [Int]] = [
            .normal: [0, 1, 2, 3], .reverse: [3, 2, 1, 0], .bounce: [0, 1, 2, 3, 2, 1],
            .reversedBounce: [3, 2, 1, 0, 1, 2],
        ]
        let counts = [10, 2, 30, 5]
        return frames.mapValues { $0.flatMap { Array(repeating: $0, count: counts[$0]) } }
    }()

    @Test func rewindingStartsTheFirstLoopAgain() {
        var clock = clock(.reverse, loopCount: 1)
        _ = clock.advance(to: .seconds(9), isShown: true)
        #expect(clock.isEnded && clock.frame == 0)
        clock.rewind()
        #expect(!clock.isEnded && clock.frame == 3 && clock.finishedLoops == 0)
    }

    @Test func aFrameThatIsNotShownEndsNoLoop() {
        var clock = clock(loopCount: 1, .wait)
        #expect(clock.advance(to: .seconds(9), isShown: false) == 0 && clock.frame == 0)
    }

    // MARK: Modes

    @Test(arguments: PlaybackMode.allCases, [0, 1, 3])
    func advancingToAnyTimeShowsTheFrameOfThatTime(_ mode: PlaybackMode, _ loopCount: Int) throws {
        var random = SeededRandom.printed("ticksAtAnyTime")
        let tens = try #require(Self.tens[mode])
        for _ in 0..<20 {
            var (clock, time, loops) = (clock(mode, loopCount: loopCount), 0, 0)
            for _ in 0..<60 {
                time += Int.random(in: 0...Int.random(in: 1...100, using: &random), using: &random)
                loops += clock.advance(to: .milliseconds(10 * time), isShown: true)
                let isOver = loopCount > 0 && time >= loopCount * tens.count
                #expect(clock.isEnded == isOver && loops == clock.finishedLoops)
                #expect(loops == (isOver ? loopCount : time / tens.count))
                #expect(clock.frame == (isOver ? tens[tens.count - 1] : tens[time % tens.count]))
            }
        }
    }

    @Test(arguments: PlaybackMode.allCases) func advancingToEachChangeShowsEveryStepOnce(_ mode: PlaybackMode) throws {
        var (clock, frames) = (clock(mode, loopCount: 2), [Int]())
        frames.append(clock.frame)
        while let time = clock.nextChange {
            _ = clock.advance(to: time, isShown: true)
            if !clock.isEnded { frames.append(clock.frame) }
        }
        let order = FrameOrder(frameCount: 4, mode: mode)
        let loop = (0..<order.stepCount).map(order.frame(at:))
        #expect(frames == loop + loop && clock.isEnded && clock.finishedLoops == 2)
    }

    @Test func aLoopEndsWithTheEndOfItsLastFrame() {
        var clock = clock(.reverse, loopCount: 2)
        #expect(clock.advance(to: .milliseconds(469), isShown: true) == 0 && clock.frame == 0)
        #expect(clock.advance(to: .milliseconds(470), isShown: true) == 1 && clock.frame == 3)
    }

    // MARK: Rates

    @Test(arguments: [(2.0, 200, 2), (0.5, 250, 2), (0.5, 230, 1), (1.0, 120, 2), (100, 2, 2), (0.001, 99_999, 0)])
    func theRateScalesTime(_ rate: Double, _ milliseconds: Int, _ frame: Int) {
        var clock = clock()
        clock.set(rate: rate)
        _ = clock.advance(to: .milliseconds(milliseconds), isShown: true)
        #expect(clock.frame == frame)
    }

    @Test(arguments: [3.0, 0.3, 7.7, 1e-9, 1e9]) func advancingToTheNextChangeChangesTheFrame(_ rate: Double) throws {
        var clock = clock()
        clock.set(rate: rate)
        for _ in 0..<50 {
            let frame = clock.frame
            _ = clock.advance(to: try #require(clock.nextChange), isShown: true)
            #expect(clock.frame != frame)
        }
    }

    @Test(arguments: [0, -1, -Double.infinity, Double.nan]) func anInvalidRateStopsTime(_ rate: Double) {
        var clock = clock()
        clock.set(rate: rate)
        #expect(clock.advance(to: .seconds(1000), isShown: true) == 0)
        #expect(clock.frame == 0 && clock.nextChange == nil)
    }

    // MARK: Time

    @Test func stoppedTimeDoesNotCount() {
        var clock = clock()
        _ = clock.advance(to: .milliseconds(50), isShown: true)
        clock.stop()
        #expect(clock.advance(to: .seconds(5), isShown: true) == 0 && clock.nextChange == nil)
        clock.run(from: .seconds(5))
        #expect(clock.nextChange == .milliseconds(5050) && clock.frame == 0)
    }

    @Test func anEarlierTimeChangesNothing() {
        var clock = clock()
        _ = clock.advance(to: .milliseconds(110), isShown: true)
        #expect(clock.advance(to: .zero, isShown: true) == 0 && clock.frame == 1)
        _ = clock.advance(to: .milliseconds(120), isShown: true)
        #expect(clock.frame == 2)
    }

    @Test func aVeryLongIntervalIsSkippedAtOnce() {
        var clock = clock()
        let loops = clock.advance(to: .seconds(Int64.max / 2), isShown: true)
        #expect(loops > 1_000_000_000 && clock.finishedLoops == loops)
    }

    @Test func aDayInSmallTicksIsExact() {
        var clock = clock()
        var loops = 0
        for tick in 1...864_000 { loops += clock.advance(to: .milliseconds(100 * tick), isShown: true) }
        // 86,400 s in loops of 0.47 s.
        #expect(loops == 183_829 && clock.elapsed == .milliseconds(86_400_000 - 183_829 * 470 - 120))
    }

    // MARK: Waiting

    @Test func withLatenessWaitEveryFrameHasAtLeastItsDuration() {
        var clock = clock(.normal, .wait)
        _ = clock.advance(to: .seconds(10), isShown: true)
        #expect(clock.frame == 1)
        _ = clock.advance(to: .seconds(20), isShown: false)
        #expect(clock.frame == 1 && clock.elapsed == .zero)
        _ = clock.advance(to: .milliseconds(20_010), isShown: true)
        #expect(clock.frame == 1)
        _ = clock.advance(to: .milliseconds(20_020), isShown: true)
        #expect(clock.frame == 2)
    }

    @Test func withLatenessWaitLoopsAreCounted() {
        var (clock, loops) = (clock(.normal, loopCount: 1, .wait), 0)
        for tick in 1...4 { loops += clock.advance(to: .seconds(tick), isShown: true) }
        #expect(loops == 1 && clock.isEnded && clock.frame == 3)
    }

    // MARK: Changes

    @Test func seekMovesToAFrameAndALoop() {
        var clock = clock(.normal, loopCount: 3)
        _ = clock.advance(to: .seconds(100), isShown: true)
        #expect(clock.isEnded)
        clock.seek(to: 2, finishedLoops: 1)
        #expect(clock.frame == 2 && !clock.isEnded && clock.nextChange == .milliseconds(100_300))
        #expect(clock.advance(to: .milliseconds(100_350), isShown: true) == 1 && clock.finishedLoops == 2)
    }

    @Test func changingTheModeKeepsTheFrame() {
        for (from, to) in PlaybackMode.allCases.flatMap({ from in PlaybackMode.allCases.map { (from, $0) } }) {
            for step in 0..<6 {
                var clock = clock(from)
                _ = clock.advance(to: clock.timeline.start(of: step % clock.timeline.order.stepCount), isShown: true)
                let frame = clock.frame
                clock.change(to: clock.timeline.with(mode: to))
                #expect(clock.frame == frame)
            }
        }
    }

    @Test func aShorterTimelineMovesTheClockInsideIt() {
        var clock = clock()
        _ = clock.advance(to: .milliseconds(400), isShown: true)
        #expect(clock.frame == 2 && clock.elapsed == .milliseconds(280))
        clock.change(to: PlaybackTimeline([0.1, 0.02, 0.1, 0.05], mode: .normal))
        #expect(clock.frame == 2 && clock.elapsed == .milliseconds(100))
        clock.change(to: PlaybackTimeline([0.1, 0.02], mode: .normal))
        #expect(clock.frame == 1)
    }

    @Test func theRateIsClamped() {
        var clock = clock()
        let rates = [1e9, 1e-9, 0, -1, 2].map { rate in
            clock.set(rate: rate)
            return clock.rate
        }
        #expect(rates == [1000, 0.001, 0, 0, 2])
    }

    @Test func aRunningClockGoesOnFromItsLastTime() {
        var clock = clock()
        clock.run(from: .milliseconds(50))
        #expect(clock.nextChange == .milliseconds(100))
    }

    @Test func seekingBeyondTheLastLoopLeavesOne() {
        var clock = clock(.normal, loopCount: 2)
        clock.seek(to: 1, finishedLoops: 5)
        #expect(clock.cursor.stepsLeft == 3)
        clock.seek(to: 1, finishedLoops: -1)
        #expect(clock.finishedLoops == 0)
    }

    // MARK: Growth

    @Test func theClockWaitsAtTheLastArrivedFrame() {
        var clock = clock(isComplete: false)
        #expect(clock.advance(to: .seconds(100), isShown: true) == 0)
        #expect(clock.frame == 3 && clock.nextChange == nil && clock.cursor.stepsLeft == 1)
        clock.change(to: PlaybackTimeline(Self.durations + [0.2], mode: .normal, isComplete: false))
        #expect(clock.frame == 3)
        _ = clock.advance(to: .seconds(100), isShown: true)
        #expect(clock.frame == 4 && clock.nextChange == .milliseconds(100_200))
    }

    @Test(arguments: [PlaybackMode.reverse, .reversedBounce])
    func reverseModesWaitForTheLastFrame(_ mode: PlaybackMode) {
        var clock = clock(mode, isComplete: false)
        #expect(clock.advance(to: .seconds(9), isShown: true) == 0 && clock.frame == 0 && clock.nextChange == nil)
        clock.change(to: PlaybackTimeline(Self.durations + [0.2], mode: mode))
        #expect(clock.frame == 4 && clock.nextChange == .milliseconds(9200))
    }

    @Test(
        arguments: [
            (.normal, 0, 0, 0, .max), (.normal, 1, 0, 1, 3), (.normal, 2, 0, 1, 7), (.normal, 2, 1, 1, 3),
            (.bounce, 2, 0, 0, 12), (.normal, .max, 0, 0, .max),
        ] as [(PlaybackMode, Int, Int, Int, Int)])
    func theCursorCountsTheRemainingSteps(
        _ mode: PlaybackMode, _ loopCount: Int, _ finished: Int, _ frame: Int, _ left: Int
    ) {
        var clock = clock(mode, loopCount: loopCount)
        clock.seek(to: frame, finishedLoops: finished)
        #expect(clock.cursor.stepsLeft == left)
        #expect(clock.cursor.frame(ahead: 0) == frame)
        if left < 12 { #expect(clock.cursor.frame(ahead: left) == nil) }
    }
}
