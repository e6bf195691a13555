import Benchmark
import CBenchmarkControls

/// Every benchmark, a topic a file. Beside `X` stands `X.control`, the same work as a program would do it without
/// Tintype; where several share one, it is named after what they have in common: `X` for `X.a` and `X.b`.
let benchmarks: @Sendable () -> Void = {
    memoryHits()
    diskHits()
    coldLoads()
    coalescing()
    diskEntries()
    decoding()
    resizing()
}

extension BenchmarkMetric {
    /// Allocations of the whole process in one iteration.
    static let allocations = BenchmarkMetric.custom("Allocations")
    /// Equal pieces of work in one iteration: what the export leaves out and `scripts/bench/run` divides by.
    static let operations = BenchmarkMetric.custom("Operations", useScalingFactor: false)
}

extension Benchmark.Configuration {
    /// - Parameters:
    ///   - operations: equal pieces of work in one iteration, for work that is shorter than its measurement.
    ///   - iterations: the most that are made in 3 s.
    static func sampling(
        _ operations: BenchmarkScalingFactor = .one, iterations: Int = 20_000
    ) -> Benchmark.Configuration {
        // The throughput is there because the export demands it.
        Benchmark.Configuration(
            metrics: [.wallClock, .throughput, .allocations, .operations], warmupIterations: 5,
            scalingFactor: operations, maxDuration: .seconds(3), maxIterations: iterations)
    }
}

extension Benchmark {
    /// Measures `body` and nothing around it.
    func sample(_ body: () throws -> Void) rethrows {
        startMeasurement()
        control_count_allocations()
        defer { endSample() }
        try body()
    }

    /// Measures `body` and nothing around it.
    func sample(_ body: () async throws -> Void) async rethrows {
        startMeasurement()
        control_count_allocations()
        defer { endSample() }
        try await body()
    }

    private func endSample() {
        let allocations = control_counted_allocations()
        stopMeasurement()
        measurement(.allocations, Int(allocations))
        measurement(.operations, configuration.scalingFactor.rawValue)
    }
}
