import CoreMetrics
import Foundation
import Testing
import TintypeShared

@testable import TintypeServer

@Suite struct PrometheusTests {
    private static func registry(_ maximum: Int = 200) -> (PrometheusRegistry, PrometheusFactory) {
        let registry = PrometheusRegistry(
            help: ["a_total": "Counts \\ and\nlines.", "t_seconds": "Times."], maximumSeriesCount: maximum)
        return (registry, PrometheusFactory(registry))
    }

    @Test func aCounterHasItsHelpItsTypeAndItsLabelsInOrder() {
        let (registry, factory) = Self.registry()
        Counter(label: "a", dimensions: [("z", "1"), ("b", "2")], factory: factory).increment(by: 3)
        Counter(label: "a_total", dimensions: [("b", "2"), ("z", "1")], factory: factory).increment()
        Counter(label: "a", dimensions: [], factory: factory).increment()
        #expect(
            registry.text() == """
                # HELP a_total Counts \\\\ and\\nlines.
                # TYPE a_total counter
                a_total 1
                a_total{b="2",z="1"} 4

                """)
    }

    @Test func labelsFromOutsideAreEscaped() {
        let (registry, factory) = Self.registry()
        Meter(
            label: "m", dimensions: [("path", "a\"b\\c\nd}"), ("1 é", "ü"), ("le", "1"), ("__name__", "x")],
            factory: factory
        )
        .set(1.5)
        #expect(
            registry.text() == """
                # TYPE m gauge
                m{_1___="ü",label___name__="x",label_le="1",path="a\\"b\\\\c\\nd}"} 1.5

                """)
    }

    @Test func namesBecomeValid() {
        let (registry, factory) = Self.registry()
        Counter(label: "http.server-requests", dimensions: [], factory: factory).increment()
        Meter(label: "9 lives", dimensions: [], factory: factory).set(2)
        Meter(label: "", dimensions: [], factory: factory).set(3)
        let text = registry.text()
        #expect(
            text.contains("http_server_requests_total 1\n") && text.contains("_9_lives 2\n") && text.contains("_ 3\n"))
    }

    @Test func aTimerIsAHistogramOfSeconds() {
        let (registry, factory) = Self.registry()
        let timer = CoreMetrics.Timer(label: "t", dimensions: [("s", "x")], factory: factory)
        for milliseconds in [0, 1, 2, 30_000, 60_000] as [Int64] { timer.recordNanoseconds(milliseconds * 1_000_000) }
        timer.recordNanoseconds(-1)
        let bounds = ["0.001", "0.0025", "0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1", "2.5", "5", "10"]
        let counts = ["0.001": 3].merging(bounds.dropFirst().map { ($0, 4) }) { own, _ in own }
        let buckets = bounds.map { "t_seconds_bucket{s=\"x\",le=\"\($0)\"} \(counts[$0] ?? 0)" }
        let head = ["# HELP t_seconds Times.", "# TYPE t_seconds histogram"]
        let last = ["t_seconds_bucket{s=\"x\",le=\"30\"} 5", "t_seconds_bucket{s=\"x\",le=\"+Inf\"} 6"]
        let lines = registry.text().split(separator: "\n").map(String.init)
        #expect(lines.filter { !$0.contains("_sum") } == head + buckets + last + ["t_seconds_count{s=\"x\"} 6"])
    }

    @Test func theSumOfAHistogramIsThatOfItsValues() {
        let (registry, factory) = Self.registry()
        let timer = CoreMetrics.Timer(label: "t", dimensions: [], factory: factory)
        for milliseconds in [250, 500, 60_000] as [Int64] { timer.recordNanoseconds(milliseconds * 1_000_000) }
        #expect(registry.text().contains("\nt_seconds_sum 60.75\n"))
    }

    @Test func aRecorderIsAGaugeOrAHistogram() {
        let (registry, factory) = Self.registry()
        Recorder(label: "r", dimensions: [], aggregate: false, factory: factory).record(7)
        Recorder(label: "h", dimensions: [], aggregate: true, factory: factory).record(5)
        let text = registry.text()
        #expect(text.contains("# TYPE r gauge\nr 7\n") && text.contains("# TYPE h histogram\n"))
        #expect(text.contains("h_bucket{le=\"4\"} 0\nh_bucket{le=\"16\"} 1\n") && text.contains("h_sum 5\nh_count 1\n"))
    }

    @Test func numbersThatAreNoneAreIgnoredOrNamed() {
        let (registry, factory) = Self.registry()
        let counter = FloatingPointCounter(label: "c", dimensions: [], factory: factory)
        for amount in [0.5, -3, .nan, .infinity] { counter.increment(by: amount) }
        Meter(label: "g", dimensions: [("v", "a")], factory: factory).set(Double.nan)
        Meter(label: "g", dimensions: [("v", "b")], factory: factory).set(-Double.infinity)
        let text = registry.text()
        #expect(text.contains("c_total 0.5\n") && text.contains("g{v=\"a\"} NaN\ng{v=\"b\"} -Inf\n"))
    }

    @Test func oneNameHasOneKind() {
        let (registry, factory) = Self.registry()
        Counter(label: "x_total", dimensions: [], factory: factory).increment()
        Meter(label: "x_total", dimensions: [], factory: factory).set(9)
        #expect(registry.text() == "# TYPE x_total counter\nx_total 1\n")
    }

    @Test func setsOfLabelsAreBounded() {
        let (registry, factory) = Self.registry(3)
        for number in 0..<1000 { Counter(label: "x", dimensions: [("n", "\(number)")], factory: factory).increment() }
        let lines = registry.text().split(separator: "\n").dropFirst()
        #expect(
            lines == ["x_total{n=\"0\"} 1", "x_total{n=\"1\"} 1", "x_total{n=\"2\"} 1", "x_total{n=\"other\"} 997"])
        let long = String(repeating: "v", count: 10_000)
        Counter(label: "y", dimensions: [("n", long)], factory: factory).increment()
        #expect(registry.text().count < 500)
    }

    @Test func namesAreBounded() {
        let (registry, factory) = Self.registry()
        for number in 0..<3000 { Counter(label: "x\(number)", dimensions: [], factory: factory).increment() }
        #expect(registry.text().split(separator: "\n").count == 2000)
    }

    @Test func aDestroyedMetricIsGone() {
        let (registry, factory) = Self.registry()
        let counter = Counter(label: "x", dimensions: [], factory: factory)
        counter.increment()
        Counter(label: "y", dimensions: [], factory: factory).increment()
        counter.destroy()
        #expect(registry.text() == "# TYPE y_total counter\ny_total 1\n")
    }

    @Test func metricsMayBeUsedFromManyTasks() async {
        let (registry, factory) = Self.registry()
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for number in 0..<500 {
                        Counter(label: "x", dimensions: [("n", "\(number % 5)")], factory: factory).increment()
                    }
                }
            }
        }
        #expect(registry.text().split(separator: "\n").dropFirst().allSatisfy { $0.hasSuffix(" 800") })
    }

    // MARK: The metrics of the server

    @Test func theServersMetricsHaveNamesAndMeanings() {
        let registry = PrometheusRegistry()
        let metrics = ServerMetrics(factory: PrometheusFactory(registry))
        Self.use(metrics)
        let text = registry.text()
        for name in [
            "tintype_requests_total 1\n", "tintype_status_codes_total{status=\"422\"} 1\n",
            "tintype_errors_total{type=\"processing\"} 1\n", "tintype_errors_total{type=\"queue\"} 0\n",
            "tintype_request_duration_seconds_count 1\n", "tintype_workers 4\n", "tintype_requests_in_progress 0\n",
            "tintype_request_span_duration_seconds_count{span=\"downloading_source_image\"} 1\n",
            "tintype_images_in_progress 1\n", "tintype_workers_utilization 25\n", "tintype_queue_depth 0\n",
            "tintype_decoded_bytes_in_use 10\n", "tintype_breaker_state{store=\"redis\"} 2\n",
            "tintype_cache_requests_total{result=\"hit\",tier=\"memory\"} 1\n",
            "tintype_store_operations_total{op=\"get\",result=\"ok\",store=\"s3\"} 1\n",
            "tintype_store_operation_duration_seconds_count{op=\"get\",store=\"s3\"} 1\n",
            "tintype_coalesced_total{scope=\"process\"} 1\n", "process_resident_memory_bytes 1234\n",
        ] { #expect(text.contains("\n\(name)"), "\(name)") }
        let types = text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }
        let helps = text.split(separator: "\n").filter { $0.hasPrefix("# HELP ") }
        #expect(types.count == helps.count)
    }

    private static func use(_ metrics: ServerMetrics) {
        metrics.requestBegan()
        let failure = Failure(.unprocessable, code: "undecodable", detail: "d")
        metrics.requestEnded(status: 422, failure: failure, duration: .milliseconds(7))
        for span in ServerMetrics.Span.allCases { metrics.spanEnded(span, .milliseconds(3)) }
        metrics.lookedUp(tier: "memory", isHit: true)
        metrics.storeOperationEnded(store: "s3", operation: "get", result: "ok", .milliseconds(40))
        metrics.breakerChanged(store: "redis", to: .open)
        metrics.coalesced(.process)
        var state = AdmissionState<Int>(AdmissionLimits(workers: 4, decodedBytes: 100))
        _ = state.arrive(0, bytes: 10, deadline: .seconds(1), now: .zero)
        metrics.update(state.status(now: .zero), residentBytes: 1234)
    }

    @Test func everyFailureHasAKnownType() {
        let kinds: [Failure.Kind] = [
            .invalidRequest, .expired, .badSignature, .forbiddenSource, .noSuchRoute, .originRefused(status: 404),
            .originFailed, .originTimedOut, .unprocessable, .unsupportedOutput, .queueFull, .unavailable,
            .deadlineExceeded, .clientGone, .internalError,
        ]
        let types = Set(kinds.map { Failure($0, code: "c", detail: "d").metricType })
        #expect(types == Set(Failure.metricTypes))
    }
}
