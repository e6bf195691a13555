import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import TintypeCore
import TintypeHTTP
import TintypeTesting

/// The `Accept` field of a pipeline's requests.
@Suite(.timeLimited) struct AcceptTests {
    /// A pipeline whose decoders support some formats, and decode any bytes of a PNG.
    private func pipeline(
        _ formats: Set<ImageFormat>, _ downloader: Downloader, disk: EntriesInMemory? = nil
    ) -> ImagePipeline {
        var configuration = PipelineConfiguration()
        configuration.loaders = [downloader]
        configuration.cache = ImageCache(memory: nil, disk: disk)
        // As a program does after it has chosen its loaders.
        configuration.coders = ImageCoderRegistry(decoders: [GatedDecoder(formats: formats)])
        return ImagePipeline(configuration)
    }

    private static let png = OriginResponse.image(
        Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + Data(count: 100), type: "image/png")

    @Test func theAcceptFieldFollowsTheRegistryOfEachPipeline() async throws {
        try await Fixture.withOrigin { origin in
            origin.serve("/a", response: Self.png)
            let downloader = Downloader.patient
            for formats in [[.png], [.png, .avif]] as [Set<ImageFormat>] {
                _ = try await pipeline(formats, downloader).image(for: origin.url("/a"))
            }
            _ = try await downloader.download(.url(origin.url("/a"))).bytes
            #expect(
                origin.requests.map { $0[header: "Accept"] } == [
                    "image/png,image/*;q=0.8,*/*;q=0.5", "image/avif,image/png,image/*;q=0.8,*/*;q=0.5",
                    "image/*,*/*;q=0.8",
                ])
        }
    }

    @Test func pipelinesWithOtherFormatsShareNoTransfer() async throws {
        try await Fixture.withOrigin { origin in
            let gate = OriginGate()
            origin.serve("/a", response: Self.png.setting(\.gate, to: gate))
            let downloader = Downloader.patient
            let tasks = [[.png], [.png, .avif], [.png]].map { (formats: Set<ImageFormat>) in
                pipeline(formats, downloader).start(ImageRequest(url: origin.url("/a")))
            }
            await origin.waitForRequests(2)
            gate.open()
            for task in tasks { _ = try await task.response }
            #expect(origin.requestCount() == 2)
        }
    }

    @Test(arguments: ["configuration", "headers", "source"])
    func theCallersAcceptFieldIsSentUnchanged(_ owner: String) async throws {
        var configuration = DownloaderConfiguration.patient
        if owner == "configuration" { configuration.accept = "image/x" }
        if owner == "headers" { configuration.headers = ["accept": "image/x"] }
        try await Fixture.withOrigin { [configuration] origin in
            origin.serve("/a", response: Self.png)
            let url = origin.url("/a")
            let source =
                owner == "source" ? ImageSource.http(HTTPSource(url: url, headers: ["Accept": "image/x"])) : .url(url)
            _ = try await pipeline([.png], Downloader(configuration)).image(for: ImageRequest(source: source))
            #expect(origin.requests.map { $0[header: "Accept"] } == ["image/x"])
        }
    }

    @Test func aResponseThatVariesByAcceptIsFreshForTheSamePipeline() async throws {
        try await Fixture.withOrigin { origin in
            let fields = [("Vary", "Accept"), ("Cache-Control", "max-age=1000000")]
            origin.serve("/a", response: fields.reduce(Self.png) { $0.with(header: $1.0, value: $1.1) })
            let (downloader, disk) = (Downloader.patient, EntriesInMemory())
            let request = ImageRequest(url: origin.url("/a")).freshness(.http)
            for formats in [[.png], [.png], [.png, .avif]] as [Set<ImageFormat>] {
                _ = try await pipeline(formats, downloader, disk: disk).image(for: request)
            }
            #expect(origin.requestCount() == 2)
        }
    }
}
