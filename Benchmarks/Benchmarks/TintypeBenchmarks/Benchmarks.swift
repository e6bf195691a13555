import Benchmark
import CBenchmarkControls

/// All benchmarks, one topic per file.
///
/// The control of `X` is `X.control`: the same work as a program would do it without Tintype. A control that several
/// benchmarks share has their common prefix: `X.control` for `X.a` and `X.b`.
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
    /// The allocations of the whole process in one iteration.
    static let allocations = BenchmarkMetric.custom("Allocations")
    /// The number of equal operations in one iteration. The export omits it, so that `scripts/bench/run` divides by
    /// this metric.
    static let operations = BenchmarkMetric.custom("Operations", useScalingFactor: false)
}

extension Benchmark.Configuration {
    /// Returns the configuration of a benchmark that runs for at most 3 s.
    ///
    /// - Parameters:
    ///   - operations: The number of equal operations in one iteration, for operations that are shorter than their
    ///     measurement.
    ///   - iterations: The maximum number of iterations.
    static func sampling(
        _ operations: BenchmarkScalingFactor = .one, iterations: Int = 20_000
    ) -> Benchmark.Configuration {
        // The export requires the throughput.
        Benchmark.Configuration(
            metrics: [.wallClock, .throughput, .allocations, .operations], warmupIterations: 5,
            scalingFactor: operations, maxDuration: .seconds(3), maxIterations: iterations)
    }
}

extension Benchmark {
    /// Measures `body` only.
    func sample(_ body: () throws -> Void) rethrows {
        startMeasurement()
        control_count_allocations()
        defer { endSample() }
        try body()
    }

    /// Measures `body` only.
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
