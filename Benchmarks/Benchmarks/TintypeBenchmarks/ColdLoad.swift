import Benchmark
import Foundation
import FoundationNetworking
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

    /// The control: the same load with only `URLSession` and the decoder.
    func bare() async throws -> Image {
        let (body, _) = try await URLSession.shared.data(from: url)
        return try await ControlThread.decode { body }
    }
}
