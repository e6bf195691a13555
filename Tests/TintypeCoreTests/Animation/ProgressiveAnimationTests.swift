import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// Animations that are played while they are loaded.
@Suite(.timeLimited) @MainActor struct ProgressiveAnimationTests {
    private let whole: DrawnAnimation
    private let decoder: any IncrementalImageDecoder
    private let timer = ManualPlaybackTimer()

    init() throws {
        whole = try AnimatedImageTests.sprites(6)
        decoder = IncrementalAnimation(
            decoder: GrowingAnimation(whole: whole), context: DecodeContext(),
            services: FrameServices(memory: FrameMemory(limit: 1 << 20)))
    }

    /// Returns the animation after `count` more frames have arrived.
    private func grow(by count: Int) throws -> AnimatedImage {
        try #require(try decoder.append(Data(count: count))?.animation)
    }

    private func player(_ animation: AnimatedImage, _ mode: PlaybackMode = .normal) -> AnimationPlayer {
        var settings = PlaybackSettings()
        settings.mode = mode
        let player = AnimationPlayer(animation, timer: timer, settings: settings)
        player.play()
        return player
    }

    private func wait(for frame: Int, _ player: AnimationPlayer) async throws {
        while player.shownFrame != frame {
            if let failure = player.failure { throw failure }
            try await Task.pause()
        }
    }

    /// Plays frame by frame until one is shown, and waits for frames being decoded on other threads.
    private func play(to frame: Int, _ player: AnimationPlayer) async throws {
        while player.shownFrame != frame {
            timer.advance(by: .milliseconds(100))
            try await wait(for: player.currentFrame, player)
        }
    }

    @Test func oneFrameIsAStillImage() throws {
        let first = try #require(try decoder.append(Data(count: 1)))
        #expect(first.animation == nil && first.size == AnimatedImageTests.canvas)
        #expect(try decoder.append(Data()) == nil)
        let second = try grow(by: 1)
        #expect(second.frameCount == 2 && !second.isComplete)
    }

    @Test func previewFramesMatchTheCompleteAnimation() throws {
        let all = try whole.animated(FrameServices())
        for count in 1...6 {
            guard let animation = try decoder.append(Data(count: 1))?.animation else { continue }
            #expect(animation.frameCount == count)
            for index in (0..<count).reversed() {
                #expect(
                    PixelDifference(between: try animation.frame(at: index), and: try all.frame(at: index))?.maximum
                        == 0)
            }
        }
    }

    /// The previews and the image of a progressive download have one coder (test 28 of SDWebImage's downloader).
    @Test func framesAreDecodedOnceWhileTheAnimationGrows() throws {
        for count in 1...6 {
            let animation = try decoder.append(Data(count: 1))?.animation
            if let animation { _ = try animation.frame(at: count - 1) }
        }
        #expect(whole.decoded.now == Array(0..<6))
    }

    @Test func arrivingFramesKeepTheCurrentFrame() async throws {
        let player = player(try grow(by: 2))
        try await play(to: 1, player)
        player.replace(with: try grow(by: 2))
        #expect(player.currentFrame == 1 && player.shownFrame == 1)
        try await play(to: 3, player)
        player.replace(with: try grow(by: 2))
        try await play(to: 5, player)
        #expect(player.finishedLoops == 0)
    }

    @Test func thePlayerWaitsAtTheLastArrivedFrameAndContinues() async throws {
        let player = player(try grow(by: 3))
        try await play(to: 2, player)
        timer.advance(by: .seconds(60))
        #expect(player.currentFrame == 2 && player.finishedLoops == 0 && timer.ringTime == nil)
        player.replace(with: try grow(by: 1))
        #expect(player.currentFrame == 3)
        try await wait(for: 3, player)
    }

    @Test func theCompleteAnimationReplacesItsPreviews() async throws {
        let player = player(try grow(by: 4))
        try await play(to: 2, player)
        timer.advance(by: .milliseconds(50))
        let final = try whole.animated(FrameServices())
        player.replace(with: final)
        #expect(player.animation === final && player.currentFrame == 2 && player.shownFrame == 2)
        timer.advance(by: .milliseconds(50))
        #expect(player.currentFrame == 3)
        timer.advance(by: .milliseconds(300))
        #expect(player.finishedLoops == 1)
    }

    @Test func theCompleteAnimationAdoptsThePreviewsFrames() async throws {
        let preview = try grow(by: 4)
        let player = player(preview)
        while preview.pool.heldFrameCount < 3 { try await Task.pause() }
        let queue = ManualQueue()
        queue.hold()
        let final = try whole.animated(FrameServices(memory: FrameMemory(limit: 1 << 20), queue: queue))
        player.replace(with: final)
        #expect(final.pool.heldFrameCount == 3 && preview.pool.heldFrameCount == 0)
        timer.advance(by: .milliseconds(300))
        #expect(player.shownFrame == 3)
        queue.release()
        timer.advance(by: .milliseconds(100))
        #expect(player.shownFrame == 4)
    }

    @Test(arguments: [PlaybackMode.reverse, .reversedBounce])
    func reverseModesStartWhenTheLastFrameHasArrived(_ mode: PlaybackMode) async throws {
        let player = player(try grow(by: 3), mode)
        timer.advance(by: .seconds(5))
        #expect(player.shownFrame == 0 && timer.ringTime == nil)
        player.replace(with: try whole.animated(FrameServices()))
        try await wait(for: 5, player)
        try await play(to: 3, player)
    }

    @Test func endGrowthPlaysTheArrivedFrames() async throws {
        let player = player(try grow(by: 3))
        try await play(to: 2, player)
        timer.advance(by: .seconds(5))
        player.endGrowth()
        #expect(player.currentFrame == 0 && player.finishedLoops == 1)
        try await play(to: 2, player)
        timer.advance(by: .milliseconds(100))
        #expect(player.finishedLoops == 2)
    }

    @Test func anotherAnimationStartsFromTheBeginning() async throws {
        let player = player(try grow(by: 3))
        try await play(to: 2, player)
        player.replace(with: try AnimatedImageTests.sprites(4).animated(FrameServices()))
        let other = try DrawnAnimation(
            canvas: whole.canvas, frames: Array(whole.frames.reversed()), images: Array(whole.images.reversed())
        ).animated(FrameServices())
        player.replace(with: other)
        #expect(player.currentFrame == 0 && player.shownFrame == 0 && player.status == .playing)
        #expect(PixelDifference(between: player.shownPixels, and: other.poster)?.maximum == 0)
    }
}
