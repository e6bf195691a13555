package import CoreMetrics
package import TintypeShared

/// The metrics of the server, besides those of the pipeline. Their names are those of imgproxy under `tintype_`.
package struct ServerMetrics: Sendable {
    /// What the metrics mean.
    package static let help = [
        "tintype_requests_total": "Requests for images.",
        "tintype_status_codes_total": "Responses by status.",
        "tintype_errors_total": "Failed requests by type.",
        "tintype_request_duration_seconds": "The time of whole requests.",
        "tintype_request_span_duration_seconds": "The time of the parts of requests.",
        "tintype_workers": "The number of images that may be in work at once.",
        "tintype_requests_in_progress": "The number of requests that are being answered.",
        "tintype_images_in_progress": "The number of images in work.",
        "tintype_workers_utilization": "The share of busy workers in percent.",
        "tintype_queue_depth": "The number of requests that wait for a worker.",
        "tintype_decoded_bytes_in_use": "The estimated memory of decoded pixels.",
        "tintype_cache_requests_total": "Lookups by tier and result.",
        "tintype_store_operations_total": "Operations of shared stores by result.",
        "tintype_store_operation_duration_seconds": "The time of operations of shared stores.",
        "tintype_breaker_state": "The circuit breaker of a shared store: 0 closed, 1 half open, 2 open.",
        "tintype_coalesced_total": "Requests that shared the work of another one.",
        "tintype_lookups_total": "Lookups of the pipeline in memory and on disk.",
        "tintype_loads_total": "Successful loads of the pipeline by origin.",
        "tintype_failures_total": "Failed loads of the pipeline by code.",
        "tintype_load_duration_seconds": "The time of loads that were not in memory.",
        "tintype_stage_duration_seconds": "The time of the stages of loads.",
        "tintype_bytes_total": "Encoded bytes that were loaded, read or written.",
        "tintype_evictions_total": "Images evicted from memory.",
        "process_resident_memory_bytes": "The resident memory of the process.",
    ]

    /// The part of a request that a span measures.
    enum Span: String, Sendable, CaseIterable {
        case queue
        case download = "downloading_source_image"
        case processing = "processing_image"
        case streaming = "streaming_image"
    }

    private let factory: any MetricsFactory
    private let requests: Counter
    private let duration: Timer
    private let inProgress: Meter
    // Made once, because looking up a metric costs more than counting.
    private let statuses: [Int: Counter]
    private let lookups: [String: [Bool: Counter]]

    /// Creates the metrics of a factory.
    package init(factory: any MetricsFactory) {
        self.factory = factory
        requests = Counter(label: "tintype_requests_total", dimensions: [], factory: factory)
        duration = Timer(label: "tintype_request_duration_seconds", dimensions: [], factory: factory)
        inProgress = Meter(label: "tintype_requests_in_progress", dimensions: [], factory: factory)
        statuses = Dictionary(
            uniqueKeysWithValues: [200, 206, 304, 404, 429].map { ($0, Self.status($0, factory)) })
        lookups = Dictionary(
            uniqueKeysWithValues: ["memory", "disk", "redis", "s3"].map { tier in
                (tier, [true: Self.lookup(tier, true, factory), false: Self.lookup(tier, false, factory)])
            })
        // A rate needs the value before the first event.
        for type in Failure.metricTypes { _ = counter("tintype_errors_total", [("type", type)]) }
        for scope in [WorkScope.process, .cluster] {
            _ = counter("tintype_coalesced_total", [("scope", scope.rawValue)])
        }
    }

    // MARK: Requests

    /// Counts a request that begins. Call ``requestEnded(status:failure:duration:)`` for each.
    func requestBegan() {
        requests.increment()
        inProgress.increment(by: 1)
    }

    /// Counts the end of a request.
    func requestEnded(status: Int, failure: Failure?, duration time: Duration) {
        inProgress.decrement(by: 1)
        duration.recordNanoseconds(Self.nanoseconds(time))
        (statuses[status] ?? Self.status(status, factory)).increment()
        if let failure { counter("tintype_errors_total", [("type", failure.metricType)]).increment() }
    }

    /// Records the time of a part of a request.
    func spanEnded(_ span: Span, _ time: Duration) {
        Timer(
            label: "tintype_request_span_duration_seconds", dimensions: [("span", span.rawValue)], factory: factory
        ).recordNanoseconds(Self.nanoseconds(time))
    }

    // MARK: Caches and stores

    /// Counts a lookup in a tier of the cache.
    func lookedUp(tier: String, isHit: Bool) {
        (lookups[tier]?[isHit] ?? Self.lookup(tier, isHit, factory)).increment()
    }

    /// Counts an operation of a shared store.
    func storeOperationEnded(store: String, operation: String, result: String, _ time: Duration) {
        let labels = [("store", store), ("op", operation)]
        counter("tintype_store_operations_total", labels + [("result", result)]).increment()
        Timer(label: "tintype_store_operation_duration_seconds", dimensions: labels, factory: factory)
            .recordNanoseconds(Self.nanoseconds(time))
    }

    /// Sets the state of the circuit breaker of a shared store.
    func breakerChanged(store: String, to state: BreakerState) {
        let value =
            switch state {
            case .closed: 0
            case .halfOpen: 1
            case .open: 2
            }
        gauge("tintype_breaker_state", [("store", store)]).set(value)
    }

    /// Counts a request that shared the work of another one.
    ///
    /// - Parameter scope: Where they met.
    func coalesced(_ scope: WorkScope) { counter("tintype_coalesced_total", [("scope", scope.rawValue)]).increment() }

    // MARK: Load

    /// Sets the metrics of the load. Call it before Prometheus reads them.
    ///
    /// - Parameters:
    ///   - breakers: The states of circuit breakers by the names of their stores.
    ///   - residentBytes: The resident memory of the process; `nil` if it is unknown.
    package func update(_ status: AdmissionStatus, breakers: [String: BreakerState] = [:], residentBytes: Int?) {
        for (store, state) in breakers { breakerChanged(store: store, to: state) }
        gauge("tintype_workers").set(status.limits.workers)
        gauge("tintype_images_in_progress").set(status.runningCount)
        gauge("tintype_workers_utilization").set(status.utilization)
        gauge("tintype_queue_depth").set(status.waitingCount)
        gauge("tintype_decoded_bytes_in_use").set(status.decodedBytes)
        if let residentBytes { gauge("process_resident_memory_bytes").set(residentBytes) }
    }

    private static func status(_ status: Int, _ factory: any MetricsFactory) -> Counter {
        Counter(label: "tintype_status_codes_total", dimensions: [("status", "\(status)")], factory: factory)
    }

    private static func lookup(_ tier: String, _ isHit: Bool, _ factory: any MetricsFactory) -> Counter {
        let labels = [("tier", tier), ("result", isHit ? "hit" : "miss")]
        return Counter(label: "tintype_cache_requests_total", dimensions: labels, factory: factory)
    }

    private func counter(_ label: String, _ dimensions: [(String, String)]) -> Counter {
        Counter(label: label, dimensions: dimensions, factory: factory)
    }

    private func gauge(_ label: String, _ dimensions: [(String, String)] = []) -> Meter {
        Meter(label: label, dimensions: dimensions, factory: factory)
    }

    private static func nanoseconds(_ time: Duration) -> Int64 {
        Int64(min(max(0, time / .nanoseconds(1)), 9e18))
    }
}
