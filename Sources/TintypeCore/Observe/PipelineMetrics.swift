public import CoreMetrics

/// Records counters and timers of a pipeline through swift-metrics.
///
/// | metric | dimensions | meaning |
/// | --- | --- | --- |
/// | `tintype_lookups` | `tier`, `result` | lookups in memory and on disk, by `hit` or `miss` |
/// | `tintype_loads` | `origin` | successful loads, by the origin of the image |
/// | `tintype_failures` | `code` | failed loads, by ``TintypeError/Code`` |
/// | `tintype_load_duration` | | the duration of loads that were not memory hits |
/// | `tintype_stage_duration` | `stage` | the duration of each stage |
/// | `tintype_bytes` | `stage` | encoded bytes that were loaded, read from disk, or encoded for it |
/// | `tintype_evictions` | | images evicted from memory to make room |
public struct PipelineMetrics: PipelineObserver {
    private let factory: any MetricsFactory
    private let memory: Lookups
    private let disk: Lookups
    private let duration: Timer
    private let evictions: Counter

    /// Creates an observer that records to a metrics factory; by default the one that the program bootstrapped.
    public init(factory: any MetricsFactory = MetricsSystem.factory) {
        self.factory = factory
        memory = Lookups("memory", factory)
        disk = Lookups("disk", factory)
        duration = Timer(label: "tintype_load_duration", dimensions: [], factory: factory)
        evictions = Counter(label: "tintype_evictions", dimensions: [], factory: factory)
    }

    /// Updates the metrics of an event.
    public func observe(_ event: PipelineEvent) {
        switch event {
        case .lookedUp(_, .memory, let found): memory.count(found)
        case .lookedUp(_, _, let found): disk.count(found)
        case .loadEnded(_, _, let result, let time): ended(result, time)
        case .stageEnded(let run, let outcome): ended(run, outcome)
        case .evicted(let count): evictions.increment(by: count)
        case .loadBegan, .stageBegan, .responseBegan: break
        }
    }

    private func ended(_ result: Result<ImageResponse, TintypeError>, _ time: Duration) {
        duration.recordNanoseconds(time.nanoseconds)
        switch result {
        case .success(let response): counter("tintype_loads", "origin", response.origin.rawValue).increment()
        case .failure(let error): counter("tintype_failures", "code", error.code.rawValue).increment()
        }
    }

    private func ended(_ run: StageRun, _ outcome: StageOutcome) {
        let dimensions = [("stage", run.stage.rawValue)]
        Timer(label: "tintype_stage_duration", dimensions: dimensions, factory: factory)
            .recordNanoseconds(outcome.duration.nanoseconds)
        if let count = outcome.byteCount { counter("tintype_bytes", "stage", run.stage.rawValue).increment(by: count) }
    }

    private func counter(_ label: String, _ dimension: String, _ value: String) -> Counter {
        Counter(label: label, dimensions: [(dimension, value)], factory: factory)
    }

    /// The counters of one tier. They are created once, because looking up a counter would slow down a memory hit.
    private struct Lookups: Sendable {
        let hits: Counter
        let misses: Counter

        init(_ tier: String, _ factory: any MetricsFactory) {
            hits = Self.counter(tier, "hit", factory)
            misses = Self.counter(tier, "miss", factory)
        }

        func count(_ found: Bool) { (found ? hits : misses).increment() }

        private static func counter(_ tier: String, _ result: String, _ factory: any MetricsFactory) -> Counter {
            Counter(label: "tintype_lookups", dimensions: [("tier", tier), ("result", result)], factory: factory)
        }
    }
}

extension Duration {
    /// Whole nanoseconds, clamped to `Int64`, which is about ±292 years.
    var nanoseconds: Int64 {
        let limit: Int64 = components.seconds < 0 ? .min : .max
        let (product, isTooLong) = components.seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflow) = product.addingReportingOverflow(components.attoseconds / 1_000_000_000)
        return isTooLong || overflow ? limit : sum
    }
}
