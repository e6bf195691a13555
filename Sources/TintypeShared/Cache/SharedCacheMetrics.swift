import CoreMetrics
import TintypeCore

/// Records the events of a shared cache through swift-metrics. Every metric has the dimension `store`.
///
/// | metric | dimensions | meaning |
/// | --- | --- | --- |
/// | `tintype_shared_lookups` | `result` | reads, by `hit`, `miss`, `failure`, `skipped` or `damaged` |
/// | `tintype_shared_writes` | `result` | writes and removals, by `success`, `failure`, `dropped` or `oversized` |
/// | `tintype_shared_lookup_duration` | | the duration of reads for which the store was called |
/// | `tintype_shared_queue_bytes` | | the bytes that wait to be written |
/// | `tintype_shared_breaker` | | the circuit breaker: 0 closed, 1 half-open, 2 open |
struct SharedCacheMetrics: Sendable {
    private let reads: [SharedCacheEvent.ReadResult: Counter]
    private let writes: [SharedCacheEvent.WriteResult: Counter]
    private let duration: CoreMetrics.Timer
    private let queueBytes: Gauge
    private let breaker: Gauge

    init(store: String, factory: any MetricsFactory) {
        func counters<Result: CaseIterable & Hashable & RawRepresentable<String>>(_ label: String) -> [Result: Counter]
        {
            var counters: [Result: Counter] = [:]
            for result in Result.allCases {
                counters[result] = Counter(
                    label: label, dimensions: [("store", store), ("result", result.rawValue)], factory: factory)
            }
            return counters
        }
        let dimensions = [("store", store)]
        reads = counters("tintype_shared_lookups")
        writes = counters("tintype_shared_writes")
        duration = CoreMetrics.Timer(label: "tintype_shared_lookup_duration", dimensions: dimensions, factory: factory)
        queueBytes = Gauge(label: "tintype_shared_queue_bytes", dimensions: dimensions, factory: factory)
        breaker = Gauge(label: "tintype_shared_breaker", dimensions: dimensions, factory: factory)
    }

    func count(_ event: SharedCacheEvent) {
        switch event {
        case .read(let result): reads[result]?.increment()
        case .write(let result, let count): writes[result]?.increment(by: count)
        }
    }

    func record(lookupDuration: Duration) { duration.recordNanoseconds(lookupDuration.nanoseconds) }

    func record(queueBytes bytes: Int) { queueBytes.record(bytes) }

    func record(_ state: BreakerState) {
        switch state {
        case .closed: breaker.record(0)
        case .halfOpen: breaker.record(1)
        case .open: breaker.record(2)
        }
    }
}

extension Duration {
    /// Whole nanoseconds, clamped to `Int64`.
    fileprivate var nanoseconds: Int64 {
        let (product, isTooLong) = components.seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflow) = product.addingReportingOverflow(components.attoseconds / 1_000_000_000)
        return isTooLong || overflow ? (components.seconds < 0 ? .min : .max) : sum
    }
}
