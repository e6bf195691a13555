import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore
@testable import TintypeViews

@Suite(.timeLimited) @MainActor struct ContentPlayerTests {
    private let timer = ManualPlaybackTimer()
    private let player: ContentPlayer
    private let draws = Shared<[PixelBuffer?]>([])

    init() {
        player = ContentPlayer(timer: timer)
        player.onPixels = { [draws] pixels in draws.withLock { $0.append(pixels) } }
    }

    private func animated(_ count: Int = 3) throws -> Image {
        let drawn = try AnimatedImageTests.sprites(count)
        let animation = try drawn.animated(FrameServices(memory: FrameMemory(limit: 1 << 20), queue: ManualQueue()))
        return Image(pixels: animation.poster, info: drawn.info, animation: animation)
    }

    private func wait(for frame: Int) async throws {
        while player.player?.shownFrame != frame { try await Task.pause() }
    }

    @Test func aStillImageIsDrawnOnce() throws {
        let image = try Image.pixel()
        player.show(.placeholder(image))
        player.show(.failure(.cancelled, image))
        #expect(draws.now.count == 1 && player.player == nil && timer.ringTime == nil)
        player.show(.nothing)
        #expect(draws.now.count == 2 && player.pixels == nil)
        player.show(.nothing)
        #expect(draws.now.count == 2)
    }

    /// A toolkit with surfaces of a high range draws this instead of the 8-bit pixels.
    @Test func theHighRangeOfAStillImageIsThereBeforeItIsDrawn() throws {
        let image = try Image.pixel()
        var writer = try HighRangePixels.writer(image.size)
        writer.clear()
        let bright = image.replacing(pixels: image.pixels, highRange: HighRangePixels(rows: writer.finish()))
        let seen = Shared<[Bool]>([])
        player.onPixels = { [player] _ in seen.withLock { $0.append(player.highRange != nil) } }
        player.show(.image(bright))
        player.show(.nothing)
        player.show(.image(try Image.pixel()))
        #expect(seen.now == [true, false, false])
    }

    @Test func anAnimationPlays() async throws {
        player.show(.image(try animated()))
        #expect(draws.now.count == 1)
        timer.advance(by: .milliseconds(100))
        try await wait(for: 1)
        #expect(draws.now.count == 2 && player.pixels?.storage === player.player?.shownPixels.storage)
    }

    @Test func theSameImageDoesNotStartAgain() async throws {
        let image = try animated()
        player.show(.image(image))
        timer.advance(by: .milliseconds(100))
        try await wait(for: 1)
        let former = player.player
        player.show(.failure(.cancelled, image))
        #expect(player.player === former && player.player?.shownFrame == 1)
    }

    @Test func anotherAnimationStartsFromItsBeginning() async throws {
        player.show(.image(try animated()))
        timer.advance(by: .milliseconds(100))
        try await wait(for: 1)
        player.show(.image(try animated(4)))
        #expect(player.player?.shownFrame == 0 && player.player?.animation.frameCount == 4)
        #expect(player.player?.status == .playing)
    }

    @Test func aHiddenViewSetsNoTimer() throws {
        player.isVisible = false
        player.show(.image(try animated()))
        #expect(timer.ringTime == nil && draws.now.count == 1)
        player.isVisible = true
        #expect(timer.ringTime != nil)
        player.isVisible = false
        #expect(timer.ringTime == nil)
    }

    @Test func withoutMotionAnAnimationStandsStill() throws {
        player.allowsMotion = false
        player.show(.image(try animated()))
        timer.advance(by: .seconds(1))
        #expect(draws.now.count == 1 && player.player?.shownFrame == 0)
        player.allowsMotion = true
        #expect(timer.ringTime != nil)
    }

    @Test func aStillImageEndsTheAnimation() throws {
        player.show(.image(try animated()))
        player.show(.image(try .pixel()))
        #expect(player.player == nil && timer.ringTime == nil && draws.now.count == 2)
    }

    @Test func aGrowingPreviewContinues() async throws {
        let decoder = IncrementalAnimation(
            decoder: GrowingAnimation(whole: try AnimatedImageTests.sprites(6)), context: DecodeContext(),
            services: FrameServices(memory: FrameMemory(limit: 1 << 20), queue: ManualQueue()))
        _ = try decoder.append(Data(count: 1))
        player.show(.preview(try #require(try decoder.append(Data(count: 1)))))
        timer.advance(by: .milliseconds(100))
        try await wait(for: 1)
        let former = player.player
        player.show(.preview(try #require(try decoder.append(Data(count: 2)))))
        #expect(player.player === former && player.player?.shownFrame == 1)
        #expect(player.player?.animation.frameCount == 4)
    }

    @Test func anAnimationWhoseLoadFailsLoopsOverWhatHasArrived() async throws {
        let decoder = IncrementalAnimation(
            decoder: GrowingAnimation(whole: try AnimatedImageTests.sprites(6)), context: DecodeContext(),
            services: FrameServices(memory: FrameMemory(limit: 1 << 20), queue: ManualQueue()))
        _ = try decoder.append(Data(count: 1))
        let preview = try #require(try decoder.append(Data(count: 1)))
        player.show(.preview(preview))
        timer.advance(by: .milliseconds(100))
        try await wait(for: 1)
        player.show(.failure(.cancelled, preview))
        timer.advance(by: .milliseconds(100))
        try await wait(for: 0)
        #expect(player.player?.finishedLoops == 1)
    }
}
