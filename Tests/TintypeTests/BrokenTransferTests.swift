import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

/// Images whose transfer ends early, from the network to the result.
@Suite(.timeLimited) struct BrokenTransferTests {
    /// An image of noise, so that half of its bytes are about half of its rows.
    private static func image() throws -> (png: Data, pixels: PixelBuffer) {
        var random = SeededRandom(seed: 5)
        let pixels = try PixelBuffer.drawn(PixelSize(width: 64, height: 200)) { _, _ in
            Pixel(red: .random(in: 0...255, using: &random), green: .random(in: 0...255, using: &random), blue: 9)
        }
        return (try PNGEncoder().encode(pixels, as: .png, options: EncodeOptions()), pixels)
    }

    private func run(
        retry: RetryPolicy = .none, _ body: (Origin, ImagePipeline) async throws -> Void
    ) async throws {
        let origin = try await Origin.start()
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-test-\(UUID().uuidString)")
        var downloader = DownloaderConfiguration()
        // A busy machine must not end a transfer: what ends it is the subject.
        (downloader.idleTimeout, downloader.minimumRate) = (.seconds(3600), nil)
        (downloader.connectTimeout, downloader.totalTimeout) = (.seconds(3600), nil)
        downloader.retry = retry
        let pipeline = ImagePipeline(
            .tested(
                downloader: downloader, memory: MemoryCache(limits: CacheLimits(cost: 64 << 20)),
                disk: DiskCache(directory: folder)))
        let result: Result<Void, any Error>
        do { result = .success(try await body(origin, pipeline)) } catch { result = .failure(error) }
        await origin.stop()
        try? FileManager.default.removeItem(at: folder)
        try result.get()
    }

    private func request(_ origin: Origin) -> ImageRequest {
        var request = ImageRequest(url: origin.url("/a.png"))
        request.rendition.decode.allowsPartial = true
        request.policy.delivery.completion = .whenStored
        return request
    }

    /// Expects the first rows of the image and no last rows.
    private func expectPart(_ response: ImageResponse, of complete: PixelBuffer) {
        let part = response.image
        #expect(part.isPartial && part.size == complete.size && response.transferFailure?.code == .truncatedBody)
        #expect((0..<64).allSatisfy { part.pixels[$0, 20] == complete[$0, 20] })
        #expect(part.pixels[0, 199].alpha == 0)
    }

    @Test func theRowsThatArrivedAreShownAndNothingIsStored() async throws {
        let (png, complete) = try Self.image()
        try await run { origin, pipeline in
            origin.serve("/a.png", response: .image(png, type: "image/png").setting(\.ending, to: .cut(after: 12_000)))
            expectPart(try await pipeline.response(for: request(origin)), of: complete)
            #expect(pipeline.cachedImage(for: request(origin)) == nil)
            var cacheOnly = request(origin)
            cacheOnly.policy.freshness = .cacheOnly
            let cached = await Task { [cacheOnly] in try await pipeline.image(for: cacheOnly) }.result
            expectError(.notCached) { try cached.get() }
            // The origin now sends the complete image, which is loaded again.
            origin.serve("/a.png", response: .image(png, type: "image/png"))
            let image = try await pipeline.image(for: request(origin))
            #expect(!image.isPartial && PixelDifference(between: image.pixels, and: complete)?.maximum == 0)
        }
    }

    @Test func aChunkedBodyThatEndsEarlyIsPartial() async throws {
        let (png, complete) = try Self.image()
        try await run { origin, pipeline in
            origin.serve(
                "/a.png",
                response: .image(png, type: "image/png").setting(\.framing, to: .chunked(size: 4000)).setting(
                    \.ending, to: .cut(after: 12_000)))
            expectPart(try await pipeline.response(for: request(origin)), of: complete)
        }
    }

    /// The last attempt delivers nothing. The rows of the previous attempt are shown.
    @Test func theRowsOfAnEarlierAttemptAreShown() async throws {
        let (png, complete) = try Self.image()
        let policy = RetryPolicy(maximumAttempts: 2, firstDelay: .milliseconds(1), jitter: 0)
        try await run(retry: policy) { origin, pipeline in
            let first = Shared(true)
            origin.serve("/a.png") { _ in
                let isFirst = first.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                let response: OriginResponse =
                    isFirst
                    ? .image(png, type: "image/png").setting(\.ending, to: .cut(after: 12_000))
                    : .image(Data("busy".utf8), type: "text/plain").setting(\.status, to: 503)
                return response
            }
            let response = try await pipeline.response(for: request(origin))
            #expect(response.image.isPartial && response.transferFailure?.status == 503)
            #expect((0..<64).allSatisfy { response.image.pixels[$0, 20] == complete[$0, 20] })
        }
    }
}
