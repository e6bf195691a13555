import Foundation
import TestSupport
import Testing
import Tintype
import TintypeCore
import TintypeGIF
import TintypePNG
import TintypeTesting
import TintypeWebP

/// Plays every animated fixture with a player and its pool, and while it arrives.
@Suite(.timeLimited) @MainActor struct AnimationPlaybackTests {
    private func animation(_ fixture: FixtureManifest.Fixture) throws -> AnimatedImage {
        let data = try fixture.data
        return try #require(try DecodeTests.coders.decoder(for: data).decode(data, context: DecodeContext()).animation)
    }

    /// Exact, except where translucent pixels are blended: the library blends premultiplied, the reference does not.
    private func expect(_ pixels: PixelBuffer, isLike expected: PixelBuffer, _ fixture: FixtureManifest.Fixture) throws
    {
        let difference = try #require(PixelDifference(between: pixels, and: expected))
        #expect(difference.maximum <= (fixture.near ?? (fixture.name.hasPrefix("animated") ? 1 : 0)), "\(difference)")
    }

    private func wait(for frame: Int, _ player: AnimationPlayer) async throws {
        _ = try await player.currentPixels()
        try #require(player.shownFrame == frame)
    }

    @Test(arguments: AnimationTests.animations, [PlaybackMode.normal, .reverse, .bounce])
    func everyPlayedFrameMatchesTheReference(_ fixture: FixtureManifest.Fixture, _ mode: PlaybackMode) async throws {
        let (animation, expected, timer) = (try animation(fixture), try fixture.expectedFrames, ManualPlaybackTimer())
        var settings = PlaybackSettings()
        (settings.mode, settings.loopCount) = (mode, 0)
        // Half of the frames fit into the budget, so that each is decoded again in the second loop.
        settings.budget = .bytes(animation.poster.byteCount * expected.count / 2)
        let player = AnimationPlayer(animation, timer: timer, settings: settings)
        player.play()
        for _ in 0..<2 * expected.count {
            try await wait(for: player.currentFrame, player)
            try expect(player.shownPixels, isLike: expected[player.shownFrame], fixture)
            timer.advance(by: try #require(timer.ringTime) - timer.now)
        }
    }

    @Test(arguments: AnimationTests.animations)
    func everySoughtFrameMatchesTheReference(_ fixture: FixtureManifest.Fixture) async throws {
        let (animation, expected) = (try animation(fixture), try fixture.expectedFrames)
        let player = AnimationPlayer(animation, timer: ManualPlaybackTimer())
        var random = SeededRandom.printed("everyFrameThatIsSought")
        for _ in 0..<40 {
            let frame = Int.random(in: expected.indices, using: &random)
            try player.seek(to: frame)
            try await wait(for: frame, player)
            try expect(player.shownPixels, isLike: expected[frame], fixture)
        }
    }

    // MARK: Arriving

    nonisolated static let formats: [any ProgressiveAnimationDecoder] = [
        AVIFDecoder(), GIFDecoder(), JXLDecoder(), PNGDecoder(), WebPDecoder(),
    ]

    /// The fixtures whose decoders show frames before all have arrived.
    nonisolated static let arriving = AnimationTests.animations.filter { fixture in
        formats.contains { $0.formats.map(\.rawValue).contains(fixture.format) }
    }

    @Test(arguments: arriving) func arrivingFramesMatchTheReference(
        _ fixture: FixtureManifest.Fixture
    ) throws {
        let (data, expected) = (try fixture.data, try fixture.expectedFrames)
        let decoder = try #require(
            try DecodeTests.coders.decoder(for: data).makeIncrementalDecoder(context: DecodeContext()))
        var counts: [Int] = []
        let piece = max(1, data.count / 100)
        for start in stride(from: 0, to: data.count, by: piece) {
            guard let image = try decoder.append(data[start..<min(start + piece, data.count)]) else { continue }
            // The first image of a GIF also has partial previews: see IncrementalGIFTests.
            if image.animation == nil && fixture.format == "gif" { continue }
            let count = image.animation?.frameCount ?? 1
            counts.append(count)
            let last = try image.animation?.frame(at: count - 1) ?? image.pixels
            try expect(last, isLike: expected[count - 1], fixture)
            #expect(image.animation?.isComplete != true)
        }
        // libjxl does not report whether the last frame is complete.
        let all = fixture.format == "jxl" ? expected.count - 1 : expected.count
        #expect(counts.last == all && counts == counts.sorted() && Set(counts).count == counts.count)
        #expect(counts.count + 1 > expected.count / 2)
    }

    @Test(arguments: ["rects.png", "rects.gif", "rects.webp", "rects.jxl", "sequence.avif"])
    func anyFlippedByteOfAnArrivingFileYieldsFramesOrAnError(_ name: String) throws {
        let data = try FixtureManifest.named(name).data
        // Every third byte; fewer of the AVIF, most of which is pixels.
        for index in Array(stride(from: 0, to: data.count, by: max(3, data.count / 800))) {
            var damaged = data
            damaged[index] ^= 0x55
            let format = try #require(Self.formats.first { name.hasSuffix($0.formats.first?.rawValue ?? "") })
            let decoder = try #require(format.makeIncrementalDecoder(context: DecodeContext()))
            for part in [damaged.prefix(index + 1), damaged.dropFirst(index + 1)] {
                do throws(TintypeError) {
                    guard let image = try decoder.append(part), let animation = image.animation else { continue }
                    for frame in 0..<animation.frameCount {
                        #expect(try animation.frame(at: frame).size == image.size)
                    }
                } catch {
                    #expect([.undecodable, .limitExceeded].contains(error.code), "byte \(index): \(error)")
                }
            }
        }
    }

    @Test func limitsApplyToArrivingFiles() throws {
        for format in Self.formats {
            let ending = format.formats.first?.rawValue ?? ""
            let name = ending == "avif" ? "sequence.avif" : "rects.\(ending)"
            let context = DecodeContext(limits: DecodeLimits(frames: 4))
            let decoder = try #require(format.makeIncrementalDecoder(context: context))
            let data = try FixtureManifest.named(name).data
            expectError(.limitExceeded) { try decoder.append(data) }
        }
    }
}
