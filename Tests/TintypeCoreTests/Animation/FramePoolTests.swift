import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

@Suite(.timeLimited) @MainActor struct FramePoolTests {
    private static let frameBytes = AnimatedImageTests.canvas.height * PixelBuffer.bytesPerRow(width: 9)

    // MARK: Limits

    /// A product that does not fit into an integer is not a small number.
    @Test(arguments: [Int.max, .max / 2, 1 << 62, 1 << 55]) func moreFramesThanMemoryAreNotPinned(_ count: Int) throws {
        let fixture = try PlayerFixture(3)
        fixture.player.play()
        fixture.animation.pool.grow(to: count)
        expectError(.limitExceeded) { try fixture.animation.pool.pin(isCancelled: { false }) }
    }

    // MARK: Sharing

    @Test func fiftyPlayersDecodeEachFrameOnce() throws {
        let fixture = try PlayerFixture(20)
        let others = (0..<49).map { _ in fixture.another() }
        fixture.player.play()
        for other in others { other.player.play() }
        for _ in 0..<60 {
            fixture.timer.advance(by: .milliseconds(100))
            for other in others { other.timer.advance(by: .milliseconds(100)) }
        }
        #expect(fixture.drawn.decoded.now == Array(0..<20))
        #expect(others.allSatisfy { $0.player.shownFrame == 0 && $0.player.finishedLoops == 3 })
        #expect(fixture.memory.heldByteCount == 19 * Self.frameBytes && fixture.animation.pool.playerCount == 50)
        for other in others { other.player.stop() }
        #expect(fixture.memory.heldByteCount == 19 * Self.frameBytes)
        fixture.player.stop()
        #expect(fixture.memory.heldByteCount == 0 && fixture.animation.pool.playerCount == 0)
    }

    /// Decodes on worker threads, so players wait for late frames.
    @Test func fiftyPlayersAndThreadsDecodeEachFrameOnce() async throws {
        let drawn = try AnimatedImageTests.sprites(20)
        let memory = FrameMemory(limit: 1 << 20)
        let animation = try drawn.animated(FrameServices(memory: memory, queue: WorkQueue.pixels))
        let timers = (0..<50).map { _ in ManualPlaybackTimer() }
        var settings = PlaybackSettings()
        settings.budget = .bytes(1 << 20)
        let players = timers.map { AnimationPlayer(animation, timer: $0, settings: settings) }
        for player in players { player.play() }
        for frame in 1...45 {
            for timer in timers { timer.advance(by: .milliseconds(100)) }
            while !players.allSatisfy({ $0.shownFrame == frame % 20 }) { try await Task.pause() }
        }
        #expect(drawn.decoded.now == Array(0..<20))
        for player in players { player.stop() }
        #expect(memory.heldByteCount == 0)
    }

    /// Uses the frame size of typical animated lists. At most half of the frames fit.
    @Test func fiftyPlayersStayWithinTheBudgetAndReleaseAllFrames() async throws {
        let (size, count) = (PixelSize(width: 480, height: 270), 16)
        let images = try (0..<count).map {
            try PixelBuffer.filled(Pixel(red: UInt8($0), green: 0, blue: 0), size: size)
        }
        let frame = AnimationFrame(rect: PixelRect(x: 0, y: 0, size: size), duration: 0.1, hasAlpha: false)
        let drawn = DrawnAnimation(
            canvas: size, frames: Array(repeating: frame, count: count), images: images)
        for (room, decodes) in [(count, count), (count / 2, 3 * count)] {
            let limit = room * images[0].byteCount
            let memory = FrameMemory(limit: limit)
            let animation = try drawn.animated(FrameServices(memory: memory, queue: ManualQueue()))
            drawn.decoded.withLock { $0 = [0] }
            var settings = PlaybackSettings()
            settings.budget = .bytes(limit)
            let timers = (0..<50).map { _ in ManualPlaybackTimer() }
            let players = timers.map { AnimationPlayer(animation, timer: $0, settings: settings) }
            for player in players { player.play() }
            for frame in 1...2 * count {
                for timer in timers { timer.advance(by: .milliseconds(100)) }
                #expect(players.allSatisfy { $0.shownFrame == frame % count })
                #expect(memory.heldByteCount <= limit)
            }
            // With little memory, frames are decoded again in each loop and slightly ahead, but once for all players.
            #expect(drawn.decoded.now.count <= decodes)
            for player in players { player.stop() }
            #expect(memory.heldByteCount == 0 && animation.pool.playerCount == 0)
        }
    }

    @Test func animationsWithEqualTransformersShareFrames() throws {
        let fixture = try PlayerFixture(3)
        let transformer = CountingTransformer(identifier: "a")
        let first = try fixture.animation.transformed(by: transformer)
        let second = try fixture.animation.transformed(by: transformer)
        let other = try fixture.animation.transformed(by: CountingTransformer(identifier: "b"))
        #expect(first.pool === second.pool && first.pool !== other.pool && first.pool !== fixture.animation.pool)
        let players = [first, second].map {
            AnimationPlayer($0, timer: ManualPlaybackTimer(), settings: fixture.player.settings)
        }
        for player in players { player.play() }
        // Two posters, and every other frame once.
        #expect(transformer.count.now == 4 && first.pool.heldFrameCount == 2)
    }

    // MARK: Memory

    @Test func aDayOfPlaybackLeaksNothing() throws {
        let fixture = try PlayerFixture(5, loopCount: 0) { $0.mode = .bounce }
        fixture.player.play()
        fixture.timer.advance(by: .seconds(1))
        let held = fixture.memory.heldByteCount
        fixture.player.onFrame = nil
        fixture.player.onLoop = nil
        fixture.timer.advance(by: .seconds(86_400))
        #expect(fixture.player.finishedLoops == 108_001 && fixture.memory.heldByteCount == held)
        #expect(fixture.drawn.decoded.now.count == 5)
        fixture.player.stop()
        #expect(fixture.memory.heldByteCount == 0)
    }

    @Test func theOneFrameBudgetHoldsOneFrame() async throws {
        let fixture = try PlayerFixture(5) { $0.budget = .oneFrame }
        fixture.player.play()
        for frame in 1...12 {
            fixture.timer.advance(by: .milliseconds(100))
            try await fixture.wait(for: frame % 5)
            #expect(fixture.animation.pool.heldFrameCount <= 1)
        }
        #expect(fixture.shown() == [0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2])
    }

    @Test func aSmallBudgetHoldsFewFramesAndIsNeverLate() throws {
        let fixture = try PlayerFixture(30) { $0.budget = .bytes(4 * Self.frameBytes) }
        fixture.player.play()
        for frame in 1...90 {
            fixture.timer.advance(by: .milliseconds(100))
            #expect(fixture.player.shownFrame == frame % 30 && fixture.animation.pool.heldFrameCount <= 4)
        }
        // Once per loop, and a few frames ahead.
        #expect(fixture.drawn.decoded.now.count <= 96)
    }

    @Test func inReverseIntermediateFramesAreHeld() async throws {
        let fixture = try PlayerFixture(40) {
            $0.budget = .bytes(10 * Self.frameBytes)
            $0.mode = .reverse
        }
        fixture.player.play()
        try await fixture.wait(for: 39)
        for frame in (0..<39).reversed() {
            fixture.timer.advance(by: .milliseconds(100))
            #expect(fixture.player.shownFrame == frame && fixture.animation.pool.heldFrameCount <= 10)
        }
        // Decoding each frame from the first would take 780.
        #expect(fixture.drawn.decoded.now.count < 280)
    }

    @Test func animationsShareTheFrameMemory() throws {
        let memory = FrameMemory(limit: 12 * Self.frameBytes)
        let first = try PlayerFixture(21, memory: memory)
        first.player.play()
        #expect(first.animation.pool.heldFrameCount == 12)
        let second = try PlayerFixture(21, memory: memory)
        second.player.play()
        #expect(first.animation.pool.heldFrameCount == 6 && second.animation.pool.heldFrameCount == 6)
        let small = try PlayerFixture(3, memory: memory)
        small.player.play()
        #expect(small.animation.pool.heldFrameCount == 2 && first.animation.pool.heldFrameCount == 5)
        #expect(memory.heldByteCount <= 12 * Self.frameBytes)
        second.player.isVisible = false
        small.player.stop()
        first.timer.advance(by: .seconds(1))
        #expect(memory.heldByteCount <= 12 * Self.frameBytes && first.animation.pool.heldFrameCount > 6)
    }

    /// Two threads may deliver the reports of a pool in either order.
    @Test func aReportOlderThanTheLastIsIgnored() throws {
        let memory = FrameMemory(limit: 12 * Self.frameBytes)
        let fixture = try PlayerFixture(21, memory: memory)
        fixture.player.play()
        let other = try PlayerFixture(21, memory: memory)
        func report(_ need: Int?, version: Int) -> Int {
            memory.setNeed(need, for: other.animation.pool, version: version)
            fixture.timer.advance(by: .seconds(1))
            return fixture.animation.pool.heldFrameCount
        }
        #expect(fixture.animation.pool.heldFrameCount == 12 && report(20 * Self.frameBytes, version: 3) <= 6)
        #expect(report(nil, version: 2) <= 6)
        #expect(report(nil, version: 4) > 6)
    }

    @Test func memoryPressureReleasesFramesForAMinute() throws {
        let clock = ManualClock()
        let memory = FrameMemory(limit: 8 * Self.frameBytes, time: clock.timeSource)
        let fixture = try PlayerFixture(21, memory: memory)
        fixture.player.play()
        memory.shrink(for: .some)
        #expect(fixture.animation.pool.heldFrameCount == 4)
        memory.shrink(for: .critical)
        #expect(fixture.animation.pool.heldFrameCount == 1)
        clock.advance(by: .seconds(61))
        fixture.timer.advance(by: .seconds(2))
        #expect(fixture.animation.pool.heldFrameCount > 4)
    }

    @Test func clearedFramesAreDecodedAgain() throws {
        let fixture = try PlayerFixture(4)
        fixture.player.play()
        fixture.animation.pool.clear()
        #expect(fixture.memory.heldByteCount == 0)
        fixture.timer.advance(by: .milliseconds(100))
        #expect(fixture.animation.pool.heldFrameCount == 3)
    }

    @Test func stoppingCancelsQueuedDecoding() throws {
        let fixture = try PlayerFixture(4)
        fixture.queue.hold()
        fixture.player.play()
        fixture.player.stop()
        fixture.queue.release()
        #expect(fixture.drawn.decoded.now == [0] && fixture.memory.heldByteCount == 0)
    }

    // MARK: Preloading

    @Test func preloadedFramesAreHeldAndCounted() throws {
        let fixture = try PlayerFixture(6)
        let cost = fixture.animation.memoryCost
        try fixture.animation.preloadFrames()
        #expect(fixture.drawn.decoded.now == Array(0..<6) && fixture.memory.heldByteCount == 5 * Self.frameBytes)
        #expect(fixture.animation.memoryCost == cost + 5 * Self.frameBytes)
        fixture.queue.hold()
        fixture.player.play()
        fixture.timer.advance(by: .milliseconds(500))
        #expect(fixture.shown() == [0, 1, 2, 3, 4, 5] && fixture.queue.count == 0)
        fixture.player.stop()
        #expect(fixture.animation.pool.heldFrameCount == 5)
        fixture.animation.unloadFrames()
        #expect(fixture.memory.heldByteCount == 0 && fixture.animation.memoryCost == cost)
    }

    @Test func preloadingBeyondTheLimitIsRefused() throws {
        let fixture = try PlayerFixture(6, memory: FrameMemory(limit: 4 * Self.frameBytes))
        expectError(.limitExceeded) { try fixture.animation.preloadFrames() }
        #expect(fixture.memory.heldByteCount == 0)
    }

    @Test func cancelledPreloadingHoldsNoFrames() throws {
        let fixture = try PlayerFixture(6)
        expectError(.cancelled) { try fixture.animation.preloadFrames { true } }
        #expect(fixture.animation.pool.heldFrameCount == 0)
    }

    // MARK: Animations of images

    @Test func timedImagesMakeAnAnimation() throws {
        let images = try (0..<3).map { index in
            TimedImage(
                try .filled(Pixel(red: UInt8(index), green: 7, blue: 9), size: PixelSize(width: 4, height: 3)),
                duration: 0.1 * Double(index))
        }
        let animation = try AnimatedImage(images, loopCount: 2)
        #expect(animation.durations == [0.1, 0.1, 0.2] && animation.loopCount == 2 && animation.isComplete)
        for index in [0, 2, 1, 2] {
            #expect(PixelDifference(between: try animation.frame(at: index), and: images[index].pixels)?.maximum == 0)
        }
        expectError(.noSuchFrame) { try AnimatedImage([]) }
    }
}
