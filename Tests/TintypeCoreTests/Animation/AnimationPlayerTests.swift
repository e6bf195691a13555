import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

@Suite(.timeLimited) @MainActor struct AnimationPlayerTests {
    // MARK: Playing

    @Test func framesAreShownWhenTheyAreDue() throws {
        let fixture = try PlayerFixture(4)
        fixture.player.play()
        #expect(fixture.shown() == [0])
        fixture.timer.advance(by: .milliseconds(99))
        #expect(fixture.shown().isEmpty)
        fixture.timer.advance(by: .milliseconds(1))
        #expect(fixture.shown() == [1] && fixture.player.shownFrame == 1 && fixture.player.status == .playing)
        fixture.timer.advance(by: .milliseconds(500))
        #expect(fixture.shown() == [2, 3, 0, 1, 2] && fixture.loops.now == [1])
    }

    @Test func theShownPixelsAreThoseOfTheFrame() throws {
        let fixture = try PlayerFixture(4)
        fixture.player.play()
        for index in 0..<8 {
            let expected = try fixture.drawn.animated(FrameServices()).frame(at: index % 4)
            #expect(PixelDifference(between: fixture.player.shownPixels, and: expected)?.maximum == 0)
            fixture.timer.advance(by: .milliseconds(100))
        }
    }

    @Test(
        arguments: [
            (.normal, [0, 1, 2, 3, 0, 1, 2, 3]), (.bounce, [0, 1, 2, 3, 2, 1, 0, 1, 2, 3, 2, 1]),
            (.reverse, [3, 2, 1, 0, 3, 2, 1, 0]), (.reversedBounce, [3, 2, 1, 0, 1, 2, 3, 2, 1, 0, 1, 2]),
        ] as [(PlaybackMode, [Int])])
    func everyModeShowsItsLoopsAndEnds(_ mode: PlaybackMode, _ frames: [Int]) async throws {
        let fixture = try PlayerFixture(4, loopCount: 2) { $0.mode = mode }
        fixture.player.play()
        try await fixture.wait(for: frames[0])
        fixture.timer.advance(by: .milliseconds(100 * frames.count - 1))
        #expect(fixture.shown() == frames && fixture.loops.now == [1] && fixture.ends.now == 0)
        fixture.timer.advance(by: .milliseconds(1))
        #expect(fixture.shown().isEmpty && fixture.loops.now == [1, 2] && fixture.ends.now == 1)
        #expect(fixture.player.status == .ended && fixture.timer.ringTime == nil)
        #expect(fixture.animation.pool.heldFrameCount == 0 && fixture.player.shownFrame == frames.last)
    }

    @Test func afterTheEndPlayStartsFromTheBeginning() throws {
        let fixture = try PlayerFixture(3, loopCount: 1)
        fixture.player.play()
        fixture.timer.advance(by: .seconds(1))
        fixture.player.play()
        fixture.timer.advance(by: .milliseconds(250))
        #expect(fixture.shown() == [0, 1, 2, 0, 1, 2] && fixture.player.finishedLoops == 0)
    }

    @Test func theLoopCountOfTheSettingsOverridesTheFiles() throws {
        let fixture = try PlayerFixture(3, loopCount: 1) { $0.loopCount = 2 }
        fixture.player.play()
        fixture.timer.advance(by: .seconds(5))
        #expect(fixture.loops.now == [1, 2] && fixture.player.status == .ended)
    }

    @Test func theRateCanChangeWhilePlaying() throws {
        let fixture = try PlayerFixture(5)
        fixture.player.play()
        fixture.timer.advance(by: .milliseconds(50))
        fixture.player.settings.rate = 0.5
        fixture.timer.advance(by: .milliseconds(99))
        #expect(fixture.shown() == [0])
        fixture.timer.advance(by: .milliseconds(1))
        #expect(fixture.shown() == [1])
        fixture.player.settings.rate = 0
        #expect(fixture.timer.ringTime == nil)
        fixture.timer.advance(by: .seconds(9))
        fixture.player.settings.rate = 4
        fixture.timer.advance(by: .milliseconds(50))
        #expect(fixture.shown() == [2, 3])
    }

    @Test func theModeCanChangeWhilePlaying() throws {
        let fixture = try PlayerFixture(5)
        fixture.player.play()
        fixture.timer.advance(by: .milliseconds(210))
        fixture.player.settings.mode = .reverse
        fixture.timer.advance(by: .milliseconds(200))
        #expect(fixture.shown() == [0, 1, 2, 1, 0])
    }

    // MARK: Pause, stop, seek

    @Test func pauseKeepsThePositionAndTheFrames() throws {
        let fixture = try PlayerFixture(5)
        fixture.player.play()
        fixture.timer.advance(by: .milliseconds(150))
        fixture.player.pause()
        #expect(fixture.timer.ringTime == nil && fixture.player.status == .paused)
        fixture.timer.advance(by: .seconds(60))
        #expect(fixture.animation.pool.heldFrameCount == 4)
        fixture.player.play()
        fixture.timer.advance(by: .milliseconds(49))
        #expect(fixture.shown() == [0, 1])
        fixture.timer.advance(by: .milliseconds(1))
        #expect(fixture.shown() == [2])
    }

    @Test func stopReleasesAllFramesAndKeepsThePosition() throws {
        let fixture = try PlayerFixture(5)
        fixture.player.play()
        fixture.timer.advance(by: .milliseconds(250))
        fixture.player.stop()
        #expect(fixture.timer.ringTime == nil && fixture.player.status == .stopped)
        #expect(fixture.animation.pool.heldFrameCount == 0 && fixture.memory.heldByteCount == 0)
        #expect(fixture.player.shownFrame == 2 && fixture.player.currentFrame == 2)
    }

    @Test func stopRewindsIfTheSettingsSaySo() throws {
        let fixture = try PlayerFixture(5) { $0.rewindsWhenStopped = true }
        fixture.player.play()
        fixture.timer.advance(by: .milliseconds(750))
        fixture.player.stop()
        #expect(fixture.player.currentFrame == 0 && fixture.player.finishedLoops == 0)
        #expect(fixture.player.shownFrame == 0 && fixture.animation.pool.playerCount == 0)
    }

    @Test func resetRewindsAndKeepsPlaying() throws {
        let fixture = try PlayerFixture(5)
        fixture.player.play()
        fixture.timer.advance(by: .milliseconds(750))
        fixture.player.reset()
        #expect(fixture.shown().last == 0 && fixture.player.finishedLoops == 0 && fixture.player.status == .playing)
        fixture.timer.advance(by: .milliseconds(100))
        #expect(fixture.shown() == [1])
    }

    @Test(arguments: 0..<5) func seekShowsAFrameEvenWhileStopped(_ frame: Int) async throws {
        let fixture = try PlayerFixture(5)
        try fixture.player.seek(to: frame, finishedLoops: 7)
        try await fixture.wait(for: frame)
        #expect(fixture.player.finishedLoops == 7 && fixture.player.status == .stopped)
        #expect(fixture.timer.ringTime == nil && fixture.animation.pool.playerCount == 0)
        fixture.player.play()
        fixture.timer.advance(by: .milliseconds(550))
        #expect(fixture.player.shownFrame == frame && fixture.loops.now == [8])
    }

    @Test func seekShowsNoFrameInBetween() async throws {
        let fixture = try PlayerFixture(9) { $0.budget = .oneFrame }
        fixture.player.play()
        try fixture.player.seek(to: 6)
        try await fixture.wait(for: 6)
        #expect(fixture.shown() == [0, 6])
    }

    @Test(arguments: [-1, 5, Int.max]) func seekingOutOfRangeIsAnError(_ frame: Int) throws {
        let fixture = try PlayerFixture(5)
        expectError(.noSuchFrame) { try fixture.player.seek(to: frame) }
        #expect(fixture.shown().isEmpty)
    }

    // MARK: Visibility

    @Test func aHiddenPlayerPausesAndHoldsNoFrames() throws {
        let fixture = try PlayerFixture(5)
        fixture.player.play()
        fixture.timer.advance(by: .milliseconds(150))
        fixture.player.isVisible = false
        #expect(fixture.timer.ringTime == nil && fixture.player.status == .playing)
        #expect(fixture.animation.pool.heldFrameCount == 0 && fixture.animation.pool.playerCount == 0)
        fixture.timer.advance(by: .seconds(3600))
        fixture.player.isVisible = true
        fixture.timer.advance(by: .milliseconds(50))
        #expect(fixture.shown() == [0, 1, 2] && fixture.loops.now.isEmpty)
    }

    @Test func aPlayerThatIsNeverVisibleSetsNoTimerAndHoldsNoFrames() throws {
        let fixture = try PlayerFixture(5)
        fixture.player.isVisible = false
        fixture.player.play()
        #expect(fixture.timer.ringTime == nil && fixture.animation.pool.playerCount == 0)
        #expect(fixture.drawn.decoded.now == [0])
    }

    @Test func aReleasedPlayerReleasesItsFrames() throws {
        let memory = FrameMemory(limit: 1 << 20)
        weak var animation: AnimatedImage?
        try {
            let fixture = try PlayerFixture(5, memory: memory)
            fixture.player.play()
            animation = fixture.animation
            #expect(memory.heldByteCount > 0)
        }()
        #expect(memory.heldByteCount == 0 && animation == nil)
    }

    // MARK: Late frames

    @Test func lateFramesAreSkipped() throws {
        let fixture = try PlayerFixture(5)
        fixture.player.play()
        fixture.timer.sleep(for: .milliseconds(1730))
        #expect(fixture.shown() == [0, 2] && fixture.loops.now == [3])
    }

    @Test func withLatenessWaitEveryFrameIsShown() throws {
        let fixture = try PlayerFixture(5) { $0.lateness = .wait }
        fixture.player.play()
        for _ in 0..<6 { fixture.timer.sleep(for: .milliseconds(1730)) }
        #expect(fixture.shown() == [0, 1, 2, 3, 4, 0, 1] && fixture.loops.now == [1])
    }

    @Test func thePreviousFrameStaysWhileOneIsDecoded() async throws {
        let fixture = try PlayerFixture(5)
        fixture.queue.hold()
        fixture.player.play()
        fixture.timer.advance(by: .milliseconds(250))
        #expect(fixture.player.shownFrame == 0 && fixture.player.currentFrame == 2)
        fixture.queue.release()
        try await fixture.wait(for: 2)
        fixture.timer.advance(by: .milliseconds(50))
        #expect(fixture.player.shownFrame == 3)
    }

    /// If decoding is slower than playback, intermediate frames are shown while they are newer than the shown frame.
    @Test func withASlowDecoderIntermediateFramesAreShown() async throws {
        var drawn = try AnimatedImageTests.sprites(9)
        drawn.held = [1, 2]
        let fixture = try PlayerFixture(drawn, on: WorkQueue(name: "test.slow", width: 1))
        fixture.player.play()
        while drawn.reached.now != [1] { try await Task.pause() }
        fixture.timer.advance(by: .milliseconds(550))
        #expect(fixture.player.currentFrame == 5 && fixture.player.shownFrame == 0)
        drawn.gate.signal()
        while !fixture.frames.now.contains(1) { try await Task.pause() }
        drawn.gate.signal()
        try await fixture.wait(for: 5)
        let shown = fixture.shown()
        #expect(shown == shown.sorted() && Set(shown).isSuperset(of: [0, 1, 5]))
    }

    @Test func withLatenessWaitTimeStopsUntilTheFrameIsDecoded() async throws {
        let fixture = try PlayerFixture(5) { $0.lateness = .wait }
        fixture.queue.hold()
        fixture.player.play()
        fixture.timer.advance(by: .seconds(10))
        #expect(fixture.player.currentFrame == 1 && fixture.timer.ringTime == nil)
        fixture.queue.release()
        try await fixture.wait(for: 1)
        fixture.timer.advance(by: .milliseconds(100))
        #expect(fixture.shown() == [0, 1, 2])
    }

    @Test(arguments: [PlaybackSettings.Lateness.skip, .wait])
    func aDamagedFrameIsSkipped(_ lateness: PlaybackSettings.Lateness) async throws {
        var drawn = try AnimatedImageTests.sprites(3)
        drawn.damaged = 2
        let fixture = try PlayerFixture(drawn) { $0.lateness = lateness }
        fixture.player.play()
        fixture.timer.advance(by: .milliseconds(200))
        while fixture.player.failure == nil { try await Task.pause() }
        #expect(fixture.player.failure?.code == .undecodable && fixture.player.shownFrame == 1)
        fixture.timer.advance(by: .milliseconds(200))
        #expect(fixture.shown() == [0, 1, 0, 1] && fixture.player.failure == nil)
    }

    // MARK: Waiting

    @Test func currentPixelsWaitsUntilTheFrameIsDecoded() async throws {
        let fixture = try PlayerFixture(5)
        #expect(
            PixelDifference(between: try await fixture.player.currentPixels(), and: fixture.animation.poster)?.maximum
                == 0)
        fixture.queue.hold()
        try fixture.player.seek(to: 3)
        // The task runs on this test's actor, so it is waiting when the test continues.
        let entered = Gate()
        let pixels = Task {
            entered.open()
            return try await fixture.player.currentPixels()
        }
        _ = await entered.wait()
        fixture.queue.release()
        #expect(PixelDifference(between: try await pixels.value, and: try fixture.animation.frame(at: 3))?.maximum == 0)
    }

    @Test func currentPixelsThrowsIfTheFrameCannotBeDecoded() async throws {
        var drawn = try AnimatedImageTests.sprites(3)
        drawn.damaged = 2
        let fixture = try PlayerFixture(drawn)
        try fixture.player.seek(to: 2)
        await expectError(.undecodable) { try await fixture.player.currentPixels() }
    }

    @Test func aCancelledCallOfCurrentPixelsEnds() async throws {
        let fixture = try PlayerFixture(5)
        fixture.queue.hold()
        try fixture.player.seek(to: 3)
        // The task runs on this test's actor, so it is waiting when the test continues.
        let entered = Gate()
        let pixels = Task {
            entered.open()
            return try await fixture.player.currentPixels()
        }
        _ = await entered.wait()
        pixels.cancel()
        guard case .failure(let error as TintypeError) = await pixels.result else {
            return _ = Issue.record("the wait was not cancelled")
        }
        #expect(error.code == .cancelled)
    }

    // MARK: Timers

    @Test func theSystemTimerFires() async throws {
        let timer = SystemPlaybackTimer()
        let moment = timer.now
        await withCheckedContinuation { continuation in timer.set(for: moment) { continuation.resume() } }
        #expect(timer.now >= moment)
    }

    @Test func aCancelledSystemTimerDoesNotFireAndCanBeSetAgain() async throws {
        let timer = SystemPlaybackTimer()
        let fired = Shared<[String]>([])
        timer.set(for: timer.now) { fired.withLock { $0.append("cancelled") } }
        timer.cancel()
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            timer.set(for: timer.now) {
                fired.withLock { $0.append("set again") }
                continuation.resume()
            }
        }
        #expect(fired.now == ["set again"])
    }

    // MARK: Callbacks

    @Test func callbacksMayChangeThePlayer() throws {
        let fixture = try PlayerFixture(5)
        fixture.player.onFrame = { [weak player = fixture.player] index, _ in if index == 2 { player?.stop() } }
        fixture.player.play()
        fixture.timer.advance(by: .seconds(1))
        #expect(fixture.player.status == .stopped && fixture.player.shownFrame == 2)
        #expect(fixture.timer.ringTime == nil && fixture.animation.pool.playerCount == 0)
        fixture.player.onFrame = nil
        fixture.player.onLoop = { [weak player = fixture.player] _ in player?.pause() }
        fixture.player.play()
        fixture.timer.advance(by: .seconds(9))
        #expect(fixture.player.status == .paused && fixture.player.finishedLoops == 1)
    }
}
