import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@Suite(.timeLimited) struct AnimationTests {
    static let animations = FixtureManifest.all.filter { $0.valid && ($0.frameCount ?? 1) > 1 }

    private func decode(_ data: Data, _ options: DecodeOptions = DecodeOptions()) throws(TintypeError) -> Image {
        try DecodeTests.coders.decoder(for: data).decode(data, context: DecodeContext(options: options))
    }

    private func animation(_ fixture: FixtureManifest.Fixture) throws -> AnimatedImage {
        try #require(try decode(fixture.data).animation)
    }

    /// Exact, except where translucent pixels are blended: the library blends premultiplied, the reference does not.
    private func expect(
        _ frame: Int, of animation: AnimatedImage, isLike expected: PixelBuffer, _ fixture: FixtureManifest.Fixture
    ) throws {
        let difference = try #require(PixelDifference(between: animation.frame(at: frame), and: expected))
        let most = fixture.near ?? (fixture.name.hasPrefix("animated") ? 1 : 0)
        #expect(difference.maximum <= most, "frame \(frame): \(difference)")
    }

    // MARK: Frames

    @Test(arguments: animations) func everyFrameInOrderMatchesTheReference(_ fixture: FixtureManifest.Fixture) throws {
        let (animation, expected) = (try animation(fixture), try fixture.expectedFrames)
        #expect(animation.frameCount == expected.count && expected.count > 1)
        for index in expected.indices { try expect(index, of: animation, isLike: expected[index], fixture) }
        // A second pass, as in the second loop.
        for index in expected.indices { try expect(index, of: animation, isLike: expected[index], fixture) }
    }

    @Test(arguments: animations) func everyFrameBackwardsMatchesTheReference(_ fixture: FixtureManifest.Fixture) throws
    {
        let (animation, expected) = (try animation(fixture), try fixture.expectedFrames)
        for index in expected.indices.reversed() { try expect(index, of: animation, isLike: expected[index], fixture) }
    }

    @Test(arguments: animations) func everyFrameInRandomOrderMatchesTheReference(_ fixture: FixtureManifest.Fixture)
        throws
    {
        let (animation, expected) = (try animation(fixture), try fixture.expectedFrames)
        var random = SeededRandom.printed("everyFrameAtRandom")
        for _ in 0..<100 {
            let index = Int.random(in: expected.indices, using: &random)
            try expect(index, of: animation, isLike: expected[index], fixture)
        }
    }

    @Test(arguments: animations) func framesDecodedBySeveralThreadsMatchTheReference(_ fixture: FixtureManifest.Fixture)
        async throws
    {
        let (animation, expected) = (try animation(fixture), try fixture.expectedFrames)
        try await withThrowingTaskGroup { group in
            for index in expected.indices {
                group.addTask { try self.expect(index, of: animation, isLike: expected[index], fixture) }
            }
            try await group.waitForAll()
        }
    }

    @Test(arguments: animations) func loopCountAndDurationsMatchTheFile(_ fixture: FixtureManifest.Fixture) throws {
        let image = try decode(fixture.data)
        let animation = try #require(image.animation)
        #expect(animation.loopCount == fixture.loopCount)
        #expect(animation.durations == image.info.durations.map(FrameDuration.played))
        #expect(animation.durations.allSatisfy { $0 >= 0.011 })
        #expect(image.isAnimated && image.memoryCost > image.pixels.byteCount)
    }

    @Test(arguments: animations) func theFirstFrameAloneIsAStillImage(_ fixture: FixtureManifest.Fixture) throws {
        let image = try decode(fixture.data, DecodeOptions(frames: .first))
        let durations = 8 * image.info.durations.count
        #expect(image.animation == nil && !image.isAnimated && image.memoryCost == image.pixels.byteCount + durations)
        #expect(PixelDifference(between: image.pixels, and: try #require(try fixture.expectedPixels))?.maximum == 0)
    }

    @Test(arguments: ["rgba-8.png", "still-87a.gif", "lossless.webp"])
    func aStillImageHasNoAnimation(_ name: String) throws {
        #expect(try decode(FixtureManifest.named(name).data).animation == nil)
    }

    @Test(arguments: [-1, 14, Int.max]) func anInvalidFrameIndexIsAnError(_ index: Int) throws {
        let animation = try animation(FixtureManifest.named("rects.gif"))
        expectError(.noSuchFrame) { try animation.frame(at: index) }
    }

    // MARK: Other sizes

    @Test(arguments: animations) func framesAreComposedAtFullSizeThenResampled(_ fixture: FixtureManifest.Fixture)
        throws
    {
        let box = PixelSize(width: 9, height: 9)
        let small = try #require(try decode(fixture.data, DecodeOptions(size: .fit(box))).animation)
        let whole = try animation(fixture)
        #expect(small.size == whole.size.fitted(into: box))
        for index in 0..<whole.frameCount {
            let resized = try ResizeTransformer(to: box).transform(whole.frame(at: index))
            #expect(PixelDifference(between: try small.frame(at: index), and: resized)?.maximum == 0)
        }
    }

    // MARK: Damage and bombs

    @Test(arguments: ["rects.png", "palette-rects.png", "rects.gif", "interlaced.gif", "rects.webp"])
    func anyFlippedByteYieldsFramesOrAnError(_ name: String) throws {
        let data = try FixtureManifest.named(name).data
        for index in data.indices.sampled(name) {
            var damaged = data
            damaged[index] ^= 0x55
            do throws(TintypeError) {
                guard let animation = try decode(damaged).animation else { continue }
                for index in 0..<animation.frameCount { _ = try animation.frame(at: index) }
            } catch {
                #expect(error.code != .outOfMemory, "\(error)")
            }
        }
    }

    @Test func aDamagedFrameIsAnErrorAndTheOthersAreNot() throws {
        let fixture = try FixtureManifest.named("rects.png")
        var data = try fixture.data
        // The last frame's data, before its checksum and the end chunk.
        data[data.endIndex - 18] ^= 0x55
        let animation = try #require(try decode(data).animation)
        expectError(.undecodable) { try animation.frame(at: 13) }
        try expect(12, of: animation, isLike: fixture.expectedFrames[12], fixture)
    }

    @Test func aGIFOfAHugeCanvasIsRefused() throws {
        var data = Data("GIF89a".utf8) + [0xFF, 0xFF, 0xFF, 0xFF, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
        for _ in 0..<1000 { data += [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x4C, 1, 0] }
        try expectRefused(data + [0x3B])
    }

    @Test func aGIFOfAHugeImageOnASmallCanvasIsRefused() throws {
        let head = Data("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
        try expectRefused(head + [0x2C, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 2, 2, 0x4C, 1, 0, 0x3B])
    }

    @Test func tooManyFramesAreRefused() throws {
        let data = try FixtureManifest.named("rects.gif").data
        for name in ["rects.gif", "rects.png", "rects.webp"] {
            let data = try FixtureManifest.named(name).data
            let context = DecodeContext(limits: DecodeLimits(frames: 13))
            expectError(.limitExceeded) {
                try DecodeTests.coders.decoder(for: data).decode(data, context: context)
            }
        }
        let context = DecodeContext(limits: DecodeLimits(animatedPixels: 24 * 17 * 13))
        expectError(.limitExceeded) {
            try DecodeTests.coders.decoder(for: data).decode(data, context: context)
        }
    }

    @Test func aWebPAnimationOfAHugeCanvasIsRefused() throws {
        func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
            Array(name.utf8) + [UInt8(body.count & 255), UInt8(body.count >> 8), 0, 0] + body
        }
        let huge: [UInt8] = [0xFE, 0x3F, 0]
        let frame = chunk(
            "ANMF", [0, 0, 0, 0, 0, 0] + huge + huge + [10, 0, 0, 0] + chunk("VP8L", [0x2F, 0, 0, 0, 0, 0]))
        let body = chunk("VP8X", [2, 0, 0, 0] + huge + huge) + chunk("ANIM", [0, 0, 0, 0, 0, 0])
        let frames = (0..<100).flatMap { _ in frame }
        try expectRefused(Data(chunk("RIFF", Array("WEBP".utf8) + body + frames)))
    }

    private func expectRefused(_ data: Data) throws {
        let error = #expect(throws: TintypeError.self) { try decode(data) }
        #expect(error?.code == .limitExceeded, "\(String(describing: error))")
    }
}
