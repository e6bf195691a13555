import Benchmark
import Foundation
import Synchronization
import Tintype
import TintypeTesting

/// A thousand who want the same picture, which comes when all of them wait: the time is that of one waiter.
func coalescing() {
    Benchmark("Coalescing", configuration: .sampling(.kilo)) { benchmark, crowd in
        let (request, gate) = try crowd.gatedRequest(benchmark.currentIteration)
        try await benchmark.sample {
            let tasks = benchmark.scaledIterations.map { _ in crowd.pipeline.start(request) }
            gate.open()
            for task in tasks { blackHole(try await task.response) }
        }
        let loads = crowd.loader.count(request.source.identity)
        if loads != 1 { benchmark.error("\(loads) loads instead of one") }
    } setup: {
        try Crowd()
    }

    Benchmark("Coalescing.control", configuration: .sampling(.kilo)) { benchmark, crowd in
        let (request, gate) = try crowd.gatedRequest(benchmark.currentIteration)
        await benchmark.sample {
            let tasks = benchmark.scaledIterations.map { _ in crowd.bare(request.source.identity, gate) }
            gate.open()
            for task in tasks { blackHole(await task.value) }
        }
    } setup: {
        try Crowd()
    }
}

private final class Crowd: Sendable {
    let loader = FakeLoader()
    let pipeline: ImagePipeline
    private let bytes: Data
    private let running = Mutex<[String: Task<Image?, Never>]>([:])

    init() throws {
        var configuration = PipelineConfiguration()
        configuration.coders = .standard
        configuration.loaders = [loader]
        configuration.cache = ImageCache(memory: nil)
        pipeline = ImagePipeline(configuration)
        bytes = try PNGEncoder().encode(
            try .filled(Pixel(red: 1, green: 2, blue: 3)), as: .png, options: EncodeOptions())
    }

    func gatedRequest(_ number: Int) throws -> (ImageRequest, Gate) {
        guard let url = URL(string: "https://images.example.com/\(number).png") else { throw URLError(.badURL) }
        let request = ImageRequest(url: url)
        let gate = Gate()
        loader.answer(request.source.identity, .gated(gate, .data(bytes)))
        return (request, gate)
    }

    /// One load a key in a table, and a task of its own for each who waits, so that it can be cancelled on its own.
    func bare(_ key: String, _ gate: Gate) -> Task<Image?, Never> {
        let load = running.withLock { running in
            if let task = running[key] { return task }
            let task = Task { [bytes] in
                _ = await gate.wait()
                return try? PNGDecoder().decode(bytes, context: DecodeContext())
            }
            running[key] = task
            return task
        }
        return Task { await load.value }
    }
}
