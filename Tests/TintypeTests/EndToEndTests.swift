import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import Tintype
import TintypeTesting

/// The complete path with real input: an origin, the standard components, and a disk cache.
@Suite(.timeLimited) struct EndToEndTests {
    /// A JPEG with noise, so that it does not compress to almost nothing.
    private static func jpeg(_ width: Int = 320, _ height: Int = 200) throws -> Data {
        var random = SeededRandom(seed: 7)
        let pixels = try PixelBuffer.drawn(PixelSize(width: width, height: height)) { x, _ in
            Pixel(red: UInt8(x % 256), green: UInt8.random(in: 0...255, using: &random), blue: 80)
        }
        return try JPEGEncoder().encode(pixels, as: .jpeg, options: EncodeOptions(quality: 0.9))
    }

    private func run(
        _ body: (Origin, (_ decoder: (any ImageDecoder)?) -> ImagePipeline) async throws -> Void
    ) async throws {
        let origin = try await Origin.start()
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-test-\(UUID().uuidString)")
        let make: (_ decoder: (any ImageDecoder)?) -> ImagePipeline = { decoder in
            var configuration = PipelineConfiguration.tested(
                downloader: .patient, memory: MemoryCache(limits: CacheLimits(cost: 64 << 20)),
                disk: DiskCache(directory: folder))
            if let decoder { configuration.coders = configuration.coders.adding(decoders: [decoder]) }
            return ImagePipeline(configuration)
        }
        let result: Result<Void, any Error>
        do { result = .success(try await body(origin, make)) } catch { result = .failure(error) }
        await origin.stop()
        try? FileManager.default.removeItem(at: folder)
        try result.get()
    }

    @Test func aThousandConcurrentLoadsMakeOneRequestAndOneDecode() async throws {
        try await run { origin, make in
            let gate = OriginGate()
            origin.serve("/a.jpg", response: .image(try Self.jpeg(), type: "image/jpeg").setting(\.gate, to: gate))
            let decoder = GatedDecoder(JPEGDecoder())
            let pipeline = make(decoder)
            try await withThrowingTaskGroup(of: PixelSize.self) { group in
                for _ in 0..<1000 { group.addTask { try await pipeline.image(for: origin.url("/a.jpg")).size } }
                await origin.waitForRequests(1)
                gate.open()
                for try await size in group { #expect(size == PixelSize(width: 320, height: 200)) }
            }
            #expect(origin.requestCount() == 1)
            #expect(decoder.decodeCount == 1)
        }
    }

    /// The body is larger than what is kept in memory. Its file becomes the entry, and has room for a header.
    @Test func aLargeBodyIsWrittenOnce() async throws {
        let origin = try await Origin.start()
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-test-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        var body = try Self.jpeg()
        body.append(Data(count: 3 << 20))
        origin.serve("/a.jpg", response: .image(body, type: "image/jpeg"))
        let request = ImageRequest(url: origin.url("/a.jpg"))
        let pipeline = ImagePipeline(.tested(downloader: .patient, memory: nil, disk: DiskCache(directory: folder)))
        let loaded = try await pipeline.response(for: request)
        try await pipeline.flush()
        #expect(loaded.data == body)
        let sizes = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.fileSizeKey])?
            .compactMap { try? ($0 as? URL)?.resourceValues(forKeys: [.fileSizeKey]).fileSize }
        #expect(sizes?.filter { $0 > 1 << 20 && $0 != 8 << 20 } == [SpillFile.bytesOffset + body.count])
        let other = ImagePipeline(.tested(downloader: .patient, memory: nil, disk: DiskCache(directory: folder)))
        let stored = try await other.response(for: request)
        #expect(stored.origin == .disk && stored.data == body && origin.requestCount() == 1)
        await origin.stop()
    }

    @Test func theAcceptFieldListsTheDecodableFormats() async throws {
        try await run { origin, make in
            origin.serve("/a.jpg", response: .image(try Self.jpeg(), type: "image/jpeg"))
            _ = try await make(nil).image(for: origin.url("/a.jpg"))
            let accepted = try #require(origin.requests.first?[header: "accept"]).split(separator: ",").map(String.init)
            let types = ImageCoderRegistry.standard.decodableFormats.map(\.mediaType)
            #expect(accepted == types + ["image/*;q=0.8", "*/*;q=0.5"])
            #expect(types.contains("image/avif") && types.contains("image/webp") && types.contains("image/jpeg"))
        }
    }

    @Test func anImageComesFromNetworkThenDiskThenMemory() async throws {
        try await run { origin, make in
            origin.serve("/a.jpg", response: .image(try Self.jpeg(), type: "image/jpeg"))
            let request = ImageRequest(url: origin.url("/a.jpg"))
            let first = make(nil)
            #expect(try await first.response(for: request).origin == .network)
            try await first.flush()
            let second = make(nil)
            #expect(try await second.response(for: request).origin == .disk)
            #expect(try await second.response(for: request).origin == .memory)
            #expect(origin.requestCount() == 1)
        }
    }

    @Test func cancellingTheLastWaiterClosesTheTransfer() async throws {
        try await run { origin, make in
            let data = try Self.jpeg()
            origin.serve(
                "/a.jpg", response: .image(data, type: "image/jpeg").setting(\.ending, to: .silence(after: 1000)))
            let pipeline = make(nil)
            let tasks = (0..<3).map { _ in Task { try await pipeline.image(for: origin.url("/a.jpg")) } }
            await origin.waitForRequests(1)
            for task in tasks {
                #expect(origin.closedEarly == 0)
                task.cancel()
                let result = await task.result
                expectError(.cancelled) { try result.get() }
            }
            await origin.waitForClosedEarly(1)
        }
    }

    @Test func previewsArriveDuringTheTransfer() async throws {
        try await run { origin, make in
            let gate = OriginGate(after: 20_000)
            let data = try Self.jpeg(640, 480)
            origin.serve("/a.jpg", response: .image(data, type: "image/jpeg").setting(\.gate, to: gate))
            var request = ImageRequest(url: origin.url("/a.jpg"))
            request.policy.delivery.previews = .progressive(every: .zero)
            var previews = 0
            for await event in make(nil).start(request).events {
                switch event {
                case .info, .progress: break
                case .preview(let preview):
                    previews += 1
                    #expect(preview.image.size == PixelSize(width: 640, height: 480))
                    gate.open()
                case .finished(let result):
                    let response = try result.get()
                    #expect(response.byteCount == data.count)
                }
            }
            #expect(previews >= 1)
        }
    }

    @Test func previewsOfALargeImageAreScaledDownToo() async throws {
        try await run { origin, make in
            let gate = OriginGate(after: 20_000)
            let data = try Self.jpeg(640, 480)
            origin.serve("/a.jpg", response: .image(data, type: "image/jpeg").setting(\.gate, to: gate))
            // A quarter of each side, at four bytes a pixel.
            let request = ImageRequest(url: origin.url("/a.jpg")).decoded(.atMost(bytes: 160 * 120 * 4))
                .previews(.progressive(every: .zero))
            var sizes: [PixelSize] = []
            for await event in make(nil).start(request).events {
                switch event {
                case .info, .progress: break
                case .preview(let preview):
                    sizes.append(preview.image.size)
                    gate.open()
                case .finished(let result): sizes.append(try result.get().image.size)
                }
            }
            #expect(sizes.count >= 2 && sizes.allSatisfy { $0 == PixelSize(width: 160, height: 120) })
        }
    }

    /// An animation of six frames with one white pixel, 200 ms each, looping forever. It has 38 bytes and 23 more per
    /// frame.
    private static let gif: Data = {
        var data = Data("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
        data += [0x21, 0xFF, 11] + Data("NETSCAPE2.0".utf8) + [3, 1, 0, 0, 0]
        for _ in 0..<6 { data += [0x21, 0xF9, 4, 0, 20, 0, 0, 0, 0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x4C, 1, 0] }
        return data + [0x3B]
    }()

    /// Loads an animation with a player for its previews. The gate opens when the third frame has arrived and is shown.
    @MainActor private func play(
        _ response: OriginResponse, _ origin: Origin, _ pipeline: ImagePipeline
    ) async throws -> (player: AnimationPlayer, timer: ManualPlaybackTimer, result: Result<Image, TintypeError>?) {
        let (gate, timer) = (OriginGate(after: 110), ManualPlaybackTimer())
        origin.serve("/a.gif", response: response.setting(\.gate, to: gate))
        let request = ImageRequest(url: origin.url("/a.gif")).previews(.progressive(every: .zero))
        var (player, result) = (AnimationPlayer?.none, Result<Image, TintypeError>?.none)
        for await event in pipeline.start(request).events {
            if case .finished(let end) = event { result = end.map(\.image) }
            guard case .preview(let preview) = event, let animation = preview.image.animation else { continue }
            player = player ?? AnimationPlayer(animation, timer: timer)
            player?.replace(with: animation)
            player?.play()
            guard animation.frameCount == 3 else { continue }
            timer.advance(by: .milliseconds(500))
            #expect(player?.currentFrame == 2)
            gate.open()
        }
        return (try #require(player), timer, result)
    }

    @Test @MainActor func anAnimationPlaysDuringItsTransfer() async throws {
        try await run { origin, make in
            let (player, timer, result) = try await play(.image(Self.gif, type: "image/gif"), origin, make(nil))
            player.replace(with: try #require(try result?.get().animation))
            #expect(player.animation.frameCount == 6 && player.currentFrame == 2 && player.finishedLoops == 0)
            timer.advance(by: .milliseconds(300))
            #expect(player.currentFrame == 4)
        }
    }

    @Test @MainActor func theFramesOfAnInterruptedDownloadArePlayed() async throws {
        try await run { origin, make in
            let cut = OriginResponse.image(Self.gif, type: "image/gif").setting(\.ending, to: .cut(after: 115))
            let (player, timer, result) = try await play(cut, origin, make(nil))
            expectError(.truncatedBody) { try result?.get() }
            timer.advance(by: .seconds(9))
            #expect(player.currentFrame == 2 && player.finishedLoops == 0)
            player.endGrowth()
            timer.advance(by: .milliseconds(200))
            #expect(player.finishedLoops == 1 && player.currentFrame == 1)
        }
    }

    @Test(arguments: ["html", "corrupt", "cut", "empty", "missing"])
    func onlyCompleteValidImagesAreStored(_ kind: String) async throws {
        try await run { origin, make in
            let png = try PNGEncoder().encode(
                .filled(Pixel(red: 9, green: 9, blue: 9), size: PixelSize(width: 50, height: 50)), as: .png,
                options: EncodeOptions())
            var corrupt = png
            corrupt[corrupt.count / 2] ^= 0xFF
            let responses: [String: (OriginResponse, TintypeError.Code)] = [
                "html": (.image(Data("<html>sign in</html>".utf8), type: "image/png"), .notAnImage),
                "corrupt": (.image(corrupt, type: "image/png"), .undecodable),
                "cut": (.image(png, type: "image/png").setting(\.ending, to: .cut(after: 40)), .truncatedBody),
                "empty": (.image(Data(), type: "image/png"), .emptyBody),
                "missing": (.status(404), .badStatus),
            ]
            let (response, code) = try #require(responses[kind])
            origin.serve("/a.png", response: response)
            let pipeline = make(nil)
            do throws(TintypeError) {
                _ = try await pipeline.image(for: origin.url("/a.png"))
                Issue.record("the load did not fail")
            } catch {
                #expect(error.code == code)
                #expect(error.subject == origin.url("/a.png").absoluteString)
            }
            try await pipeline.flush()
            let cache = try #require(pipeline.configuration.cache as? ImageCache)
            let disk = try #require(cache.disk as? DiskCache)
            #expect(try await disk.usage().count == 0)
        }
    }

    @Test func filesAndDataURLsAreNotStoredOnDisk() async throws {
        try await run { _, make in
            let pipeline = make(nil)
            let data = try Self.jpeg(20, 10)
            let url = try #require(URL(string: "data:image/jpeg;base64,\(data.base64EncodedString())"))
            #expect(try await pipeline.response(for: ImageRequest(url: url)).origin == .data)
            let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).jpg")
            try data.write(to: file)
            var request = ImageRequest(url: file)
            request.rendition.decode.size = .fit(PixelSize(width: 5, height: 5))
            #expect(try await pipeline.response(for: request).origin == .file)
            try FileManager.default.removeItem(at: file)
            try await pipeline.flush()
            let cache = try #require(pipeline.configuration.cache as? ImageCache)
            let disk = try #require(cache.disk as? DiskCache)
            #expect(try await disk.usage().count == 0)
        }
    }
}
