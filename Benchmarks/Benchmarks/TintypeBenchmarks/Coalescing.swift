import Benchmark
import Foundation
import Synchronization
import Tintype
import TintypeTesting

/// A thousand callers wait for the same image, which arrives when all of them wait. The result is the time per waiter.
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

/// A pipeline and a gated loader for many waiters.
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
        loader.setAnswer(.gated(gate, .data(bytes)), for: request.source.identity)
        return (request, gate)
    }

    /// The control: one load per key in a table, and a task for each waiter, so that each can be cancelled separately.
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
