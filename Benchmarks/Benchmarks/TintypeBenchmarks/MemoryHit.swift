import Benchmark
import Foundation
import Synchronization
import Tintype
import TintypeTesting

/// Loads images from the memory cache: a thousand hits per iteration, in random order, on 4,000 keys of 80 characters.
/// No key shares storage with a stored one, so that each hit compares characters.
func memoryHits() {
    Benchmark("MemoryHit", configuration: .sampling(.kilo)) { benchmark, memory in
        let requests = memory.requests(for: benchmark)
        var hits = 0
        benchmark.sample {
            // A loop over the elements would copy each request.
            for index in requests.indices where memory.pipeline.cachedImage(for: requests[index]) != nil { hits += 1 }
        }
        check(hits, benchmark)
    } setup: {
        try MemoryHits()
    }

    Benchmark("MemoryHit.async", configuration: .sampling(.kilo)) { benchmark, memory in
        let requests = memory.requests(for: benchmark)
        var hits = 0
        try await benchmark.sample {
            for index in requests.indices {
                if try await memory.pipeline.image(for: requests[index]).scale == 1 { hits += 1 }
            }
        }
        check(hits, benchmark)
    } setup: {
        try MemoryHits()
    }

    Benchmark("MemoryHit.control", configuration: .sampling(.kilo)) { benchmark, memory in
        let urls = memory.urls(for: benchmark)
        var hits = 0
        benchmark.sample {
            for index in urls.indices where memory.dictionary.withLock({ $0[urls[index]] }) != nil { hits += 1 }
        }
        check(hits, benchmark)
    } setup: {
        try MemoryHits()
    }
}

private func check(_ hits: Int, _ benchmark: Benchmark) {
    if hits != benchmark.scaledIterations.count { benchmark.error("\(hits) hits") }
}

/// The same images in a pipeline and in a dictionary.
private final class MemoryHits: Sendable {
    let pipeline: ImagePipeline
    let dictionary: Mutex<[String: Image]>
    private let urls: [String]
    private let requests: [ImageRequest]

    init() throws {
        var random = SeededRandom(seed: 1)
        let configuration = PipelineConfiguration()
        pipeline = ImagePipeline(configuration)
        var images: [String: Image] = [:]
        for url in Self.urls() {
            let image = Image(
                pixels: try .filled(Pixel(red: 1, green: 2, blue: 3)),
                info: ImageInfo(format: .png, size: PixelSize(width: 1, height: 1)))
            configuration.cache.store(image, for: try Self.request(url).key)
            images[url] = image
        }
        dictionary = Mutex(images)
        urls = Self.urls().shuffled(using: &random)
        requests = try urls.map(Self.request)
    }

    func urls(for benchmark: Benchmark) -> ArraySlice<String> { urls[part(benchmark)] }
    func requests(for benchmark: Benchmark) -> ArraySlice<ImageRequest> { requests[part(benchmark)] }

    /// A different quarter of the keys for each iteration.
    private func part(_ benchmark: Benchmark) -> Range<Int> {
        let start = benchmark.currentIteration % 4 * benchmark.scaledIterations.count
        return start..<start + benchmark.scaledIterations.count
    }

    private static func urls() -> [String] {
        (0..<4_000).map { "https://images.example.com/" + "\(100_000 + $0)/".padded(to: 46) + "800.jpg" }
    }

    private static func request(_ url: String) throws -> ImageRequest {
        guard let url = URL(string: url) else { throw URLError(.badURL) }
        return ImageRequest(url: url)
    }
}

extension String {
    fileprivate func padded(to count: Int) -> String { padding(toLength: count, withPad: "x", startingAt: 0) }
}
