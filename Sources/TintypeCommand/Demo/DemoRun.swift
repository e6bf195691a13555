import CTintypeSamples
import Foundation
import Tintype

/// A run of the demo: an origin server in this process, and three timed loads of each sample from it.
struct DemoRun {
    private let origin: DemoOrigin
    private let samples: [DemoSample]
    private let cacheDirectory: URL

    // The latency and bandwidth of a typical mobile network.
    private static let latency = Duration.milliseconds(80)
    private static let bytesPerSecond = 160_000

    init() throws {
        samples = DemoSample.all
        origin = try DemoOrigin(samples, latency: Self.latency, bytesPerSecond: Self.bytesPerSecond)
        cacheDirectory = FileManager.default.temporaryDirectory.appending(path: "tintype-demo-\(UUID().uuidString)")
    }

    /// Loads all samples from the network, then from disk through a new pipeline, then from memory.
    func run() async throws -> DemoLoads {
        try StandardOutput.write(
            "An origin server at \(origin.baseURL) serves \(samples.count) images with a latency of "
                + "\(HumanFormat.duration(Self.latency)), at \(HumanFormat.bytes(Self.bytesPerSecond))/s each.")
        try StandardOutput.write("")
        var loads = DemoLoads(names: samples.map(\.name))
        let first = ImagePipeline(configuration)
        loads.network = try await load(on: first, showsProgress: true)
        try await first.flush()
        let second = ImagePipeline(configuration)
        loads.disk = try await load(on: second, showsProgress: false)
        loads.memory = try await load(on: second, showsProgress: false)
        loads.requests = origin.requestCount
        return loads
    }

    /// Stops the origin and removes the cache.
    func end() {
        origin.stop()
        try? FileManager.default.removeItem(at: cacheDirectory)
    }

    private var configuration: PipelineConfiguration {
        .standard(disk: DiskCache(directory: cacheDirectory))
    }

    /// Loads all samples at once, and times each on its own.
    private func load(on pipeline: ImagePipeline, showsProgress: Bool) async throws -> [DemoLoad] {
        let display = showsProgress && StandardError.showsProgress ? ProgressDisplay() : nil
        display?.begin(total: samples.count)
        defer { display?.end() }
        return try await withThrowingTaskGroup(of: (Int, DemoLoad).self) { group in
            for (index, sample) in samples.enumerated() {
                group.addTask { (index, try await load(sample, on: pipeline, display)) }
            }
            return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private func load(
        _ sample: DemoSample, on pipeline: ImagePipeline, _ display: ProgressDisplay?
    ) async throws -> DemoLoad {
        let start = ContinuousClock.now
        var request = ImageRequest(url: origin.baseURL.appending(path: sample.name))
        request.policy.delivery.previews = .progressive(every: .milliseconds(50))
        let task = pipeline.start(request)
        let number = display?.beginLoad(sample.name) { task.progress }
        defer { if let number { display?.endLoad(number) } }
        var previews = 0
        for await case .preview in task.events { previews += 1 }
        let response = try await task.response
        display?.finish()
        return DemoLoad(response: response, duration: start.duration(to: .now), previews: previews)
    }
}

/// A sample image that is embedded in the command.
struct DemoSample: Sendable {
    let name: String
    let mediaType: String
    let data: Data

    static var all: [DemoSample] {
        var count = 0
        guard let samples = tintype_samples(&count) else { return [] }
        return (0..<count).map { DemoSample(samples[$0]) }
    }

    private init(_ sample: tintype_sample) {
        name = String(cString: sample.name)
        mediaType = String(cString: sample.media_type)
        data = Data(bytes: sample.bytes, count: sample.count)
    }
}
