import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import Tintype
import TintypeTesting

/// A server guard restricts every loader of a pipeline, together with the program's `shouldLoad`.
@Suite(.timeLimited) struct GuardedPipelineTests {
    /// A pipeline without a disk cache.
    private func pipeline(
        _ serverGuard: ServerGuard? = .standard, _ change: (inout PipelineConfiguration) -> Void = { _ in }
    ) -> ImagePipeline {
        var downloader = DownloaderConfiguration.patient
        downloader.serverGuard = serverGuard
        var configuration = PipelineConfiguration.tested(downloader: downloader, disk: nil)
        change(&configuration)
        return ImagePipeline(configuration)
    }

    /// Runs a test with the URL of an image file.
    private func withFile(_ body: (URL) async throws -> Void) async throws {
        let pixels = try PixelBuffer.drawn(PixelSize(width: 4, height: 4)) { _, _ in Pixel(red: 1, green: 2, blue: 3) }
        let data = try PNGEncoder().encode(pixels, as: .png, options: EncodeOptions())
        let url = FileManager.default.temporaryDirectory.appending(path: "tintype-guard-\(UUID().uuidString).png")
        try data.write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        try await body(url)
    }

    private func expect(
        _ code: TintypeError.Code, _ request: ImageRequest, from pipeline: ImagePipeline
    ) async {
        let error = await #expect(throws: TintypeError.self) { try await pipeline.image(for: request) }
        #expect(error?.code == code, "\(error.map { "\($0)" } ?? "")")
    }

    @Test func theProgramsRuleAndTheGuardBothApply() async throws {
        try await withFile { url in
            let file = ImageRequest(url: url)
            await expect(.forbidden, file, from: pipeline())
            await expect(.forbidden, file, from: pipeline { $0.shouldLoad = { _ in true } })
            let refusing = pipeline { $0.shouldLoad = { _ in false } }
            let server = try #require(URL(string: "http://example.org/a.png"))
            await expect(.refused, ImageRequest(url: server), from: refusing)
            // Without a guard, files are loaded.
            _ = try await pipeline(nil).image(for: file)
        }
    }

    @Test func theGuardOfARequestAppliesToFilesToo() async throws {
        try await withFile { url in
            var request = ImageRequest(url: url)
            request.http.serverGuard = .standard
            let pipeline = pipeline(nil)
            await expect(.forbidden, request, from: pipeline)
            // Another request for the same source does not inherit the refusal, nor the first one its image.
            _ = try await pipeline.image(for: ImageRequest(url: url))
            await expect(.forbidden, request, from: pipeline)
        }
    }

    @Test func aGuardInAChainAndAGuardThatChangesApply() async throws {
        try await withFile { url in
            let downloader = Downloader(.patient)
            let pipeline = pipeline(nil) { $0.loaders = [ImageLoaderChain([FileLoader(), downloader])] }
            downloader.configuration.serverGuard = .standard
            await expect(.forbidden, ImageRequest(url: url), from: pipeline)
            downloader.configuration.serverGuard = ServerGuard(schemes: ["https", "file"])
            _ = try await pipeline.image(for: ImageRequest(url: url))
        }
    }

    // MARK: Cached images

    /// Runs a test with the URL of an image on a local origin, which the standard guard refuses.
    private func withOrigin(_ body: (Origin, URL) async throws -> Void) async throws {
        let pixels = try PixelBuffer.drawn(PixelSize(width: 4, height: 4)) { _, _ in Pixel(red: 1, green: 2, blue: 3) }
        let data = try PNGEncoder().encode(pixels, as: .png, options: EncodeOptions())
        let origin = try await Origin.start()
        origin.serve("/a.png", response: .image(data, type: "image/png"))
        let result: Result<Void, any Error>
        do { result = .success(try await body(origin, origin.url("/a.png"))) } catch { result = .failure(error) }
        await origin.stop()
        try result.get()
    }

    private func endsAtOnce(_ request: ImageRequest, in pipeline: ImagePipeline) -> Bool {
        if case .finished = pipeline.start(request).status { true } else { false }
    }

    @Test func theGuardAppliesToImagesInMemory() async throws {
        try await withOrigin { _, url in
            let downloader = Downloader(.patient)
            let pipeline = pipeline(nil) { $0.loaders = [FileLoader(), downloader] }
            var request = ImageRequest(url: url)
            _ = try await pipeline.image(for: request)
            #expect(pipeline.cachedImage(for: request) != nil)
            downloader.configuration.serverGuard = .standard
            await expect(.forbidden, request, from: pipeline)
            #expect(pipeline.cachedImage(for: request) == nil)
            #expect(!endsAtOnce(request, in: pipeline))
            downloader.configuration.serverGuard = nil
            // A memory hit ends before the call returns.
            #expect(endsAtOnce(request, in: pipeline))
            request.http.serverGuard = .standard
            await expect(.forbidden, request, from: pipeline)
            #expect(pipeline.cachedImage(for: request) == nil)
        }
    }

    @Test func theGuardAppliesToImagesOnDisk() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-guard-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await withOrigin { _, url in
            func pipeline(_ serverGuard: ServerGuard?) -> ImagePipeline {
                var downloader = DownloaderConfiguration.patient
                downloader.serverGuard = serverGuard
                return ImagePipeline(.tested(downloader: downloader, disk: DiskCache(directory: folder)))
            }
            let request = ImageRequest(url: url)
            let open = pipeline(nil)
            _ = try await open.image(for: request)
            try await open.flush()
            #expect(await open.cachedData(for: request) != nil)
            let guarded = pipeline(.standard)
            for freshness in LoadPolicy.Freshness.allCases {
                await expect(.forbidden, request.freshness(freshness), from: guarded)
            }
            #expect(await guarded.cachedData(for: request) == nil)
        }
    }

    /// The name of the host is allowed, and only the origin's response leads to a server that is not.
    @Test func aRefusalDuringRevalidationIsNotAnsweredFromTheCache() async throws {
        try await withOrigin { origin, url in
            let downloader = Downloader(.patient)
            let pipeline = pipeline(nil) { $0.loaders = [downloader] }
            let request = ImageRequest(url: url)
            _ = try await pipeline.image(for: request)
            origin.serve("/a.png", response: .redirect(to: "http://10.0.0.1/"))
            downloader.configuration.serverGuard = ServerGuard(ports: nil, addresses: [.loopback])
            _ = try await pipeline.image(for: request)
            await expect(.forbidden, request.freshness(.revalidate), from: pipeline)
        }
    }

    @Test func dataURLsAndOtherSchemesNeedAPermission() async throws {
        for text in ["data:image/png;base64,AAAA", "ftp://example.org/a.png"] {
            let url = try #require(URL(string: text))
            await expect(.forbidden, ImageRequest(url: url), from: pipeline())
        }
    }
}
