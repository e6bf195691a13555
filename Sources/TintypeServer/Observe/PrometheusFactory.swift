package import CoreMetrics

/// Metrics of swift-metrics in a ``PrometheusRegistry``.
///
/// Names become those of Prometheus: a counter ends in `_total`, a timer in `_seconds`, and other characters than
/// letters, digits and `_` are replaced by `_`.
package struct PrometheusFactory: MetricsFactory {
    private let registry: PrometheusRegistry

    /// Creates a factory that adds metrics to a registry.
    package init(_ registry: PrometheusRegistry) {
        self.registry = registry
    }

    /// Returns a counter.
    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        counter(label, dimensions)
    }

    /// Returns a counter of numbers with a fraction.
    package func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        counter(label, dimensions)
    }

    /// Returns a gauge.
    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        gauge(label, dimensions)
    }

    /// Returns a histogram for a recorder that aggregates, and a gauge otherwise.
    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        guard aggregate else { return gauge(label, dimensions) }
        return registry.series(label, .histogram, dimensions) {
            PrometheusHistogram(bounds: PrometheusHistogram.powers)
        }
    }

    /// Returns a histogram of seconds.
    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        registry.series(Self.name(label, endingIn: "_seconds"), .histogram, dimensions) {
            PrometheusHistogram(bounds: PrometheusHistogram.seconds)
        }
    }

    /// Removes a counter.
    package func destroyCounter(_ handler: any CounterHandler) { registry.remove(handler) }
    /// Removes a counter.
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { registry.remove(handler) }
    /// Removes a gauge.
    package func destroyMeter(_ handler: any MeterHandler) { registry.remove(handler) }
    /// Removes a recorder.
    package func destroyRecorder(_ handler: any RecorderHandler) { registry.remove(handler) }
    /// Removes a timer.
    package func destroyTimer(_ handler: any TimerHandler) { registry.remove(handler) }

    private func counter(_ label: String, _ dimensions: [(String, String)]) -> PrometheusCounter {
        registry.series(Self.name(label, endingIn: "_total"), .counter, dimensions) { PrometheusCounter() }
    }

    private func gauge(_ label: String, _ dimensions: [(String, String)]) -> PrometheusGauge {
        registry.series(label, .gauge, dimensions) { PrometheusGauge() }
    }

    private static func name(_ label: String, endingIn ending: String) -> String {
        label.hasSuffix(ending) ? label : label + ending
    }
}
