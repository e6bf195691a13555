public import CoreMetrics

/// Counts and times what a pipeline does, through swift-metrics.
///
/// | metric | dimensions | what |
/// | --- | --- | --- |
/// | `tintype_lookups` | `tier`, `result` | look-ups of memory and of disk that were a `hit` or a `miss` |
/// | `tintype_loads` | `origin` | loads that ended well, by where the picture came from |
/// | `tintype_failures` | `code` | loads that failed, by ``TintypeError/Code`` |
/// | `tintype_load_duration` | | how long those took that memory could not answer |
/// | `tintype_stage_duration` | `stage` | how long each stage took |
/// | `tintype_bytes` | `stage` | encoded bytes that were loaded, read from disk, or made for it |
/// | `tintype_evictions` | | pictures that fell out of memory to make room |
public struct PipelineMetrics: PipelineObserver {
    private let factory: any MetricsFactory
    private let memory: Lookups
    private let disk: Lookups
    private let duration: Timer
    private let evictions: Counter

    /// - Parameter factory: by default the one that the program bootstrapped.
    public init(factory: any MetricsFactory = MetricsSystem.factory) {
        self.factory = factory
        memory = Lookups("memory", factory)
        disk = Lookups("disk", factory)
        duration = Timer(label: "tintype_load_duration", dimensions: [], factory: factory)
        evictions = Counter(label: "tintype_evictions", dimensions: [], factory: factory)
    }

    public func observe(_ event: PipelineEvent) {
        switch event {
        case .lookedUp(_, .memory, let found): memory.count(found)
        case .lookedUp(_, _, let found): disk.count(found)
        case .loadEnded(_, _, let result, let time): ended(result, time)
        case .stageEnded(let run, let outcome): ended(run, outcome)
        case .evicted(let count): evictions.increment(by: count)
        case .loadBegan, .stageBegan, .answered: break
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

    /// The look-ups of one tier; made once, since a hit in memory has no time to look for its counter.
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
    /// Whole nanoseconds; saturates after three centuries, either way.
    var nanoseconds: Int64 {
        let limit: Int64 = components.seconds < 0 ? .min : .max
        let (product, isTooLong) = components.seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflow) = product.addingReportingOverflow(components.attoseconds / 1_000_000_000)
        return isTooLong || overflow ? limit : sum
    }
}
