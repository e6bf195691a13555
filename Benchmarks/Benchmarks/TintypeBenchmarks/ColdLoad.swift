import AsyncHTTPClient
import Benchmark
import Foundation
import NIOCore
import Tintype
import TintypeTesting

/// Loads an image that no cache contains, over HTTP from an origin in the same process.
func coldLoads() {
    Benchmark("ColdLoad", configuration: .sampling()) { benchmark, loads in
        try await benchmark.sample { blackHole(try await loads.pipeline.image(for: loads.url)) }
    } setup: {
        try await ColdLoads()
    }

    Benchmark("ColdLoad.control", configuration: .sampling()) { benchmark, loads in
        try await benchmark.sample { blackHole(try await loads.bare()) }
    } setup: {
        try await ColdLoads()
    }
}

private final class ColdLoads: Sendable {
    let pipeline: ImagePipeline
    let url: URL
    private let origin: Origin

    init() async throws {
        origin = try await Origin.start()
        origin.serve("/ocean.jpg", response: .image(try Sample.jpeg(), type: "image/jpeg"))
        url = origin.url("/ocean.jpg")
        let configuration = PipelineConfiguration.standard(memory: nil, disk: nil)
        pipeline = ImagePipeline(configuration)
    }

    /// The control: the same load with only the HTTP client and the decoder.
    func bare() async throws -> Image {
        let request = HTTPClientRequest(url: url.absoluteString)
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(10))
        let body = try await response.body.collect(upTo: 64 << 20)
        return try await ControlThread.decode { Data(body.readableBytesView) }
    }
}
