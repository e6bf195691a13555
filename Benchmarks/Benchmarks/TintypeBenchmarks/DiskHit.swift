import Benchmark
import Foundation
import Tintype

/// Loads an image whose bytes are on disk and in the page cache, without the memory cache.
func diskHits() {
    Benchmark("DiskHit", configuration: .sampling()) { benchmark, disk in
        try await benchmark.sample { blackHole(try await disk.pipeline.image(for: disk.request)) }
    } setup: {
        try await DiskHits()
    }

    Benchmark("DiskHit.control", configuration: .sampling()) { benchmark, disk in
        let path = disk.path
        try await benchmark.sample { blackHole(try await ControlThread.decode { try PlainFile.read(path) }) }
    } setup: {
        try await DiskHits()
    }
}

/// The same bytes in a disk cache and in a plain file.
private final class DiskHits: Sendable {
    let pipeline: ImagePipeline
    let request: ImageRequest
    let path: String

    init() async throws {
        let folder = try Scratch.makeFolder()
        let bytes = try Sample.jpeg()
        path = folder.appending(path: "ocean.jpg").path(percentEncoded: false)
        try PlainFile.replace(path, with: bytes)

        guard let url = URL(string: "https://images.example.com/ocean.jpg") else { throw URLError(.badURL) }
        var request = ImageRequest(url: url)
        request.policy.rendered.memory = .off
        self.request = request

        let cache = DiskCache(directory: folder.appending(path: "cache"))
        cache.store(CacheEntry(data: bytes, format: .jpeg), for: request.key)
        try await cache.flush()

        // No loader accepts the source, so that a miss is an error.
        var configuration = PipelineConfiguration()
        configuration.coders = .standard
        configuration.cache = ImageCache(disk: cache)
        pipeline = ImagePipeline(configuration)
    }
}
