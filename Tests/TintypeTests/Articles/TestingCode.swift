import Foundation
import Testing
import Tintype
import TintypeTesting

// The code of the article Testing. `DocumentCodeTests` compares the two.

@Suite(.timeLimit(.minutes(1))) struct AvatarTests {
    private let loader = FakeLoader()
    private let clock = ManualClock()
    private let pipeline: ImagePipeline
    private let png: Data

    /// A pipeline without a network and a disk, whose loader has prepared answers and whose time stands still.
    init() throws {
        var configuration = PipelineConfiguration()
        configuration.coders = .png
        configuration.loaders = [loader]
        configuration.cache = ImageCache(memory: MemoryCache(time: clock.timeSource))
        configuration.time = clock.timeSource
        pipeline = ImagePipeline(configuration)
        let white = try PixelBuffer.filled(Pixel(red: 255, green: 255, blue: 255))
        png = try ImageCoderRegistry.png.encoder(for: .png).encode(white, as: .png, options: EncodeOptions())
    }

    @Test func twoViewsOfOneImageLoadItOnce() async throws {
        let gate = Gate()
        let request = ImageRequest(source: .closure(id: "avatar:1") { Data() })
        loader.setAnswer(.gated(gate, .data(png)), for: request.source.identity)
        async let first = pipeline.image(for: request)
        async let second = pipeline.image(for: request)
        // The load runs, and no result is there yet.
        await gate.waitForArrivals(1)
        gate.open()
        _ = try await (first, second)
        #expect(loader.count(request.source.identity) == 1)
    }

    @Test func anAvatarIsLoadedAgainAfterADay() async throws {
        var request = ImageRequest(source: .closure(id: "avatar:1") { Data() })
        loader.setAnswer(.data(png), for: request.source.identity)
        request.policy.caching.timeToLive = .seconds(24 * 3600)
        _ = try await pipeline.image(for: request)
        clock.advance(by: .seconds(25 * 3600))
        #expect(pipeline.cachedImage(for: request) == nil)
    }

    @Test func aTransferThatBreaksOffIsAnError() async throws {
        let origin = try await Origin.start()
        origin.serve("/a.png", response: OriginResponse(body: png, ending: .cut(after: 20)))
        let online = ImagePipeline(.standard(memory: nil, disk: nil))
        let error = await #expect(throws: TintypeError.self) { try await online.image(for: origin.url("/a.png")) }
        #expect(error?.code == .truncatedBody)
        #expect(origin.requestCount("/a.png") >= 1)
        await origin.stop()
    }
}
