import TestSupport
import Testing
import Tintype
import TintypeTerminal
import TintypeTesting

@testable import TintypeCommand

/// The end of animations that play at once. It comes once, whatever happens to their frames.
@Suite(.timeLimited) @MainActor struct AnimationGroupTests {
    private let timers = [ManualPlaybackTimer(), ManualPlaybackTimer()]
    private let ends = Shared(0)
    private let shown = Shared(0)

    /// Two animations of two and three frames, a second each.
    private func group(
        loopCount: Int? = 1, _ change: (AnimatedImage) throws -> AnimatedImage = { $0 }
    ) throws -> AnimationGroup {
        let animations = try [2, 3].map { count in
            let frames = try (0..<count).map { index in
                let pixel = Pixel(red: UInt8(index), green: 0, blue: 0)
                return TimedImage(
                    try PixelBuffer.filled(pixel, size: PixelSize(width: 4, height: 4)), duration: 1)
            }
            return try change(try AnimatedImage(frames, loopCount: 2))
        }
        var unused = timers[...]
        let group = AnimationGroup(animations, loopCount: loopCount) {
            unused.removeFirst()
        } onEnd: { [ends] in
            ends.withLock { $0 += 1 }
        }
        group.play { [shown] _, _ in shown.withLock { $0 += 1 } }
        return group
    }

    @Test func theEndIsThatOfTheLastAnimation() throws {
        let group = try group()
        timers[0].advance(by: .seconds(60))
        timers[1].advance(by: .milliseconds(2900))
        #expect(ends.now == 0)
        timers[1].advance(by: .milliseconds(200))
        #expect(ends.now == 1)
        group.stop()
    }

    /// A key may wait for the main actor when the play ends.
    @Test func keysAfterTheEndShowNothing() throws {
        let group = try group(loopCount: 0)
        group.press(.character("q"))
        let count = shown.now
        for key in [" ", "."] { group.press(.character(Character(key))) }
        #expect(shown.now == count)
        group.stop()
        for key in [" ", "."] { group.press(.character(Character(key))) }
        for timer in timers { timer.advance(by: .seconds(60)) }
        #expect(ends.now == 1 && shown.now == count)
    }

    @Test func whatShowsTheFramesIsReleasedAtTheEnd() throws {
        let group = try group()
        weak var screen: Shared<Int>?
        do {
            let held = Shared(0)
            screen = held
            group.play { _, _ in held.withLock { $0 += 1 } }
        }
        #expect(screen != nil)
        group.stop()
        #expect(screen == nil)
    }

    @Test func withoutACountEachPlaysAsItSays() throws {
        let group = try group(loopCount: nil)
        timers[0].advance(by: .seconds(60))
        timers[1].advance(by: .milliseconds(5900))
        #expect(ends.now == 0)
        timers[1].advance(by: .milliseconds(200))
        #expect(ends.now == 1)
        group.stop()
    }

    /// As after a process was stopped, or on a machine that is too slow.
    @Test func framesThatAreDroppedDoNotDelayTheEnd() throws {
        let group = try group()
        for timer in timers { timer.sleep(for: .seconds(60)) }
        #expect(ends.now == 1)
        for timer in timers { timer.advance(by: .seconds(60)) }
        #expect(ends.now == 1)
        group.stop()
    }

    /// Fails for every frame but the first, which has been made before.
    private struct FailingTransformer: ImageTransformer {
        var identifier: String { "failing" }

        func transform(_ pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
            guard pixels[0, 0].red == 0 else { throw TintypeError(.undecodable, stage: .decode, "test") }
            return pixels
        }
    }

    @Test func framesThatFailDoNotDelayTheEnd() async throws {
        let group = try group { try $0.transformed(by: FailingTransformer()) }
        for _ in 0..<31 {
            for timer in timers { timer.advance(by: .milliseconds(100)) }
            // Lets the failures arrive.
            for _ in 0..<100 { await Task.yield() }
        }
        #expect(ends.now == 1)
        group.stop()
    }

    @Test func aKeyEndsAllOnce() throws {
        let group = try group(loopCount: 0)
        group.press(.character("x"))
        #expect(ends.now == 0)
        group.press(.character("q"))
        group.press(.escape)
        #expect(ends.now == 1)
        group.stop()
    }

    @Test func keysLeaveAnimationsAloneThatHaveEnded() throws {
        let group = try group()
        timers[0].advance(by: .seconds(60))
        group.press(.character(","))
        timers[1].advance(by: .seconds(60))
        #expect(ends.now == 0)
        group.press(.character(" "))
        // It has moved from the first frame to the last.
        timers[1].advance(by: .milliseconds(900))
        #expect(ends.now == 0)
        timers[1].advance(by: .milliseconds(200))
        #expect(ends.now == 1)
        group.stop()
    }

    @Test func theSpaceBarPausesAll() throws {
        let group = try group()
        group.press(.character(" "))
        for timer in timers { timer.advance(by: .seconds(60)) }
        #expect(ends.now == 0)
        group.press(.character(" "))
        for timer in timers { timer.advance(by: .seconds(60)) }
        #expect(ends.now == 1)
        group.stop()
    }
}
