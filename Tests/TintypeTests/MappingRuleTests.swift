import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import Tintype
import TintypeTesting

/// Behaviour that rows of `FromSDWebImage.md` state, with an origin server and the standard configuration.
@Suite(.timeLimited) struct MappingRuleTests {
    private static let png = Result { try PNGEncoder().encode(.filled(.white), as: .png, options: EncodeOptions()) }

    /// Runs a test with an origin, and a folder for caches.
    private func run(
        _ identity: OriginIdentity? = nil, _ body: (Origin, URL) async throws -> Void
    ) async throws {
        let origin = try await Origin.start(identity)
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-rules-\(UUID().uuidString)")
        let result: Result<Void, any Error>
        do { result = .success(try await body(origin, folder)) } catch { result = .failure(error) }
        await origin.stop()
        try? FileManager.default.removeItem(at: folder)
        try result.get()
    }

    private func pipeline(
        _ downloader: DownloaderConfiguration = .patient, disk: URL? = nil, observers: [any PipelineObserver] = []
    ) -> ImagePipeline {
        var configuration = PipelineConfiguration.tested(
            downloader: downloader, memory: MemoryCache(limits: CacheLimits(cost: 1 << 20)),
            disk: disk.map { DiskCache(directory: $0) })
        configuration.observers = observers
        return ImagePipeline(configuration)
    }

    private func error(
        _ pipeline: ImagePipeline, _ request: ImageRequest
    ) async -> TintypeError? {
        return await #expect(throws: TintypeError.self) { try await pipeline.image(for: request) }
    }

    // MARK: Errors

    /// What SDWebImage reports in `NSURLErrorDomain`: cannot connect, timed out, connection lost before and in the
    /// body, no secure connection, too many redirects.
    @Test func allErrorsOfTheTransportHaveACode() async throws {
        try await run { origin, _ in
            let body = Data(repeating: 7, count: 40_000)
            origin.serve("/lost", response: OriginResponse(body: Data(), framing: .untilClose, ending: .dropped))
            origin.serve("/cut", response: .image(body, type: "image/png").setting(\.ending, to: .cut(after: 9000)))
            origin.serve("/never", response: .image(body, type: "image/png").setting(\.ending, to: .never))
            origin.serve("/cycle", response: .redirect(to: "/cycle"))
            let patient = pipeline()
            for (path, code) in [
                ("/lost", TintypeError.Code.transport), ("/cut", .truncatedBody), ("/cycle", .tooManyRedirects),
            ] {
                #expect(await error(patient, ImageRequest(url: origin.url(path)))?.code == code, "\(path)")
            }
            var hasty = DownloaderConfiguration.patient
            hasty.idleTimeout = .milliseconds(100)
            #expect(await error(pipeline(hasty), ImageRequest(url: origin.url("/never")))?.code == .timedOut)
            let port = try ClosedPort()
            #expect(await error(patient, ImageRequest(url: try port.url))?.code == .unreachable)
            withExtendedLifetime(port) {}
        }
        try await run(try TestCertificate.make()) { origin, _ in
            #expect(await error(pipeline(), ImageRequest(url: origin.url("/a")))?.code == .insecure)
        }
    }

    /// `downloadTimeout`: the idle time of one request, and the time of a whole transfer.
    @Test func timeoutsAreOfTheDownloaderOrOfARequest() async throws {
        try await run { origin, _ in
            let never = OriginResponse.image(Data(count: 9), type: "image/png").setting(\.ending, to: .never)
            origin.serve("/never", response: never)
            var request = ImageRequest(url: origin.url("/never"))
            request.http.idleTimeout = .milliseconds(50)
            #expect(await error(pipeline(), request)?.code == .timedOut)
            request.http = HTTPOptions()
            request.http.totalTimeout = .milliseconds(50)
            #expect(await error(pipeline(), request)?.code == .timedOut)
            var total = DownloaderConfiguration.patient
            total.totalTimeout = .milliseconds(50)
            #expect(await error(pipeline(total), ImageRequest(url: origin.url("/never")))?.code == .timedOut)
        }
    }

    @Test func whatSDWebImageLeavesWithoutAnErrorHasOne() async throws {
        try await run { origin, _ in
            origin.serve("/a", response: .image(try Self.png.get(), type: "image/png"))
            var configuration = PipelineConfiguration.tested(downloader: .patient, disk: nil)
            configuration.shouldLoad = { _ in false }
            let request = ImageRequest(url: origin.url("/a"))
            #expect(await error(ImagePipeline(configuration), request)?.code == .refused)
            let cacheOnly = request.with { $0.policy.freshness = .cacheOnly }
            #expect(await error(pipeline(), cacheOnly)?.code == .notCached)
            #expect(origin.requestCount() == 0)
        }
    }

    // MARK: Notifications

    private struct ExpectedSizes: PipelineObserver {
        let sizes = Shared<[Int?]>([])

        func observe(_ event: PipelineEvent) {
            if case .responseBegan(_, let expected) = event { sizes.withLock { $0.append(expected) } }
        }
    }

    @Test func aResponseBeginsWithItsExpectedSize() async throws {
        try await run { origin, _ in
            let body = try Self.png.get()
            origin.serve("/known", response: .image(body, type: "image/png"))
            let chunked = OriginResponse.image(body, type: "image/png").setting(\.framing, to: .chunked(size: 20))
            origin.serve("/unknown", response: chunked)
            let observer = ExpectedSizes()
            let pipeline = pipeline(observers: [observer])
            for path in ["/known", "/unknown"] { _ = try await pipeline.image(for: origin.url(path)) }
            #expect(observer.sizes.now == [body.count, nil])
        }
    }

    // MARK: Caches

    @Test func memoryHasNoLimitOnTheNumberOfImages() throws {
        #expect(CacheLimits.standard.count == .max)
        let memory = MemoryCache(limits: CacheLimits(cost: 64 << 20))
        let pixels = try PixelBuffer.filled(.white)
        let image = Image(pixels: pixels, info: ImageInfo(format: .png, size: pixels.size))
        for number in 0..<5000 { memory.store(image, for: CacheKey(source: "\(number)"), timeToLive: nil) }
        #expect((0..<5000).allSatisfy { memory.image(for: CacheKey(source: "\($0)")) != nil })
        memory.limits.count = 10
        #expect((0..<5000).filter { memory.image(for: CacheKey(source: "\($0)")) != nil }.count <= 10)
    }

    /// `SDWebImageContextCacheKeyFilter`: a request has its own name in memory, on disk and among running loads.
    @Test func theIdentityOfARequestIsItsNameInEveryCache() async throws {
        try await run { origin, folder in
            origin.serve("/a", response: .image(try Self.png.get(), type: "image/png"))
            let first = pipeline(disk: folder)
            let named = { (query: String) in
                let url = URL(string: origin.url("/a").absoluteString + query) ?? origin.url("/a")
                var request = ImageRequest(url: url)
                request.identity = "the picture"
                return request
            }
            #expect(first.cacheKey(for: named("?token=1")).source == "the picture")
            #expect(try await first.response(for: named("?token=1")).origin == .network)
            #expect(try await first.response(for: named("?token=2")).origin == .memory)
            try await first.flush()
            #expect(try await pipeline(disk: folder).response(for: named("?token=3")).origin == .disk)
            // Without the name, it is another image.
            var plain = named("?token=1")
            plain.identity = nil
            #expect(try await first.response(for: plain).origin == .network)
            #expect(origin.requestCount() == 2)
        }
    }

    @Test func aCachedImageIsUsedUntilItIsDropped() async throws {
        try await run { origin, folder in
            var response = OriginResponse.image(try Self.png.get(), type: "image/png")
            response.headers.append(("Cache-Control", "max-age=0"))
            origin.serve("/a", response: response)
            let request = ImageRequest(url: origin.url("/a"))
            let first = pipeline(disk: folder)
            for _ in 0..<3 { _ = try await first.image(for: request) }
            try await first.flush()
            let second = pipeline(disk: folder)
            #expect(try await second.response(for: request).origin == .disk && origin.requestCount() == 1)
            try await second.configuration.cache.clear(.all)
            #expect(try await second.response(for: request).origin == .network && origin.requestCount() == 2)
        }
    }

    // MARK: Coders

    /// `encodedDataWithFrames`: the frames, their durations and the number of loops, in every animated format.
    @Test(arguments: ImageCoderRegistry.standard.animatedFormats) func framesOfAProgramAreEncoded(
        _ format: ImageFormat
    ) throws {
        let size = PixelSize(width: 16, height: 16)
        let colours = [Pixel(red: 255, green: 0, blue: 0), Pixel(red: 0, green: 255, blue: 0), .white]
        let frames = try zip(colours, [0.1, 0.2, 0.5]).map { colour, duration in
            TimedImage(try .filled(colour, size: size), duration: duration)
        }
        let animation = try AnimatedImage(frames, loopCount: 3)
        let data = try ImageCoderRegistry.standard.encode(
            animation, as: format, options: EncodeOptions(quality: 1))
        let image = try ImageCoderRegistry.standard.decoder(for: data).decode(data, context: DecodeContext())
        let decoded = try #require(image.animation)
        #expect(decoded.frameCount == 3 && decoded.loopCount == 3 && decoded.size == size)
        for (index, colour) in colours.enumerated() {
            #expect(abs(decoded.durations[index] - [0.1, 0.2, 0.5][index]) < 0.005)
            let pixel = try decoded.frame(at: index)[8, 8]
            let channels = [(pixel.red, colour.red), (pixel.green, colour.green), (pixel.blue, colour.blue)]
            #expect(channels.allSatisfy { abs(Int($0) - Int($1)) < 12 }, "\(format) \(index): \(pixel)")
        }
    }

    /// Test 22 of SDWebImage's transformers: a scaled image has the samples of its source, and white stays white.
    @Test func aScaledImageKeepsItsKindOfSamples() throws {
        let size = PixelSize(width: 100, height: 100)
        let resize = ResizeTransformer(to: PixelSize(width: 50, height: 50), mode: .stretch)
        let opaque = try PixelBuffer.filled(.white, size: size)
        let small = try resize.transform(opaque)
        #expect(small.size == PixelSize(width: 50, height: 50) && small.isOpaque)
        #expect((0..<50).allSatisfy { small[$0, 49 - $0] == .white })
        // 16 bits per channel.
        let wide = try ImageCoderRegistry.standard.decoder(for: Self.wide).decode(
            Self.wide, context: DecodeContext(options: DecodeOptions(range: .high)))
        let half = try wide.transformed(by: resize)
        let light = try #require(half.highRange)
        #expect(half.size == small.size && light.size == small.size)
        #expect((0..<50).allSatisfy { light[$0, 49 - $0] == SIMD4(1, 1, 1, 1) })
        // Alpha.
        let clear = try PixelBuffer.filled(Pixel(red: 128, green: 128, blue: 128, alpha: 128), size: size)
        #expect(try resize.transform(clear)[25, 25] == clear[0, 0])
    }

    /// A TIFF of 100×100 white pixels with 16 bits: little-endian, one strip, grey.
    private static let wide: Data = {
        var tiff = Data("II*\0\u{8}\0\0\0".utf8)
        let entries: [(Int, Int, Int)] = [
            (256, 4, 100), (257, 4, 100), (258, 3, 16), (259, 3, 1), (262, 3, 1), (273, 4, 122), (277, 3, 1),
            (278, 4, 100),
            (279, 4, 20_000),
        ]
        tiff += [UInt8(entries.count), 0]
        for (tag, type, value) in entries {
            for (number, count) in [(tag, 2), (type, 2), (1, 4), (value, 4)] {
                tiff += (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
            }
        }
        return tiff + Data(count: 4) + Data(repeating: 0xFF, count: 20_000)
    }()
}

extension Pixel {
    fileprivate static let white = Pixel(red: 255, green: 255, blue: 255)
}
