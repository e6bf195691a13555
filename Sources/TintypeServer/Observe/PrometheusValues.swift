import CoreMetrics
import TintypeCore

/// A value of one set of labels.
protocol PrometheusSeries: AnyObject, Sendable {
    /// Returns the lines of the series.
    ///
    /// - Parameters:
    ///   - name: The name of the metric.
    ///   - labels: The labels as text, without braces; empty for none.
    func lines(_ name: String, labels: String) -> [String]
}

/// A number that grows.
final class PrometheusCounter: PrometheusSeries, CounterHandler, FloatingPointCounterHandler {
    // Two numbers, because a double loses single steps beyond 2^53.
    private let value = Locked((whole: Int64(0), fraction: 0.0))

    func increment(by amount: Int64) {
        guard amount > 0 else { return }
        value.withLock { value in
            let (sum, isOverflow) = value.whole.addingReportingOverflow(amount)
            // A counter that returns to zero is a restart to Prometheus.
            value.whole = isOverflow ? amount : sum
        }
    }

    func increment(by amount: Double) {
        guard amount > 0, amount.isFinite else { return }
        value.withLock { $0.fraction += amount }
    }

    func reset() { value.withLock { $0 = (0, 0) } }

    func lines(_ name: String, labels: String) -> [String] {
        let (whole, fraction) = value.withLock { $0 }
        let text = fraction == 0 ? "\(whole)" : PrometheusText.number(Double(whole) + fraction)
        return [PrometheusText.line(name, labels, text)]
    }
}

/// A number that rises and falls.
final class PrometheusGauge: PrometheusSeries, MeterHandler, RecorderHandler {
    private let value = Locked(0.0)

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { self.value.withLock { $0 = value } }
    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func decrement(by amount: Double) { value.withLock { $0 -= amount } }
    func record(_ value: Int64) { set(Double(value)) }
    func record(_ value: Double) { set(value) }

    func lines(_ name: String, labels: String) -> [String] {
        [PrometheusText.line(name, labels, PrometheusText.number(value.withLock { $0 }))]
    }
}

/// Counts of values up to bounds, and their sum.
final class PrometheusHistogram: PrometheusSeries, TimerHandler, RecorderHandler {
    /// The bounds of times, in seconds: 1 ms to 30 s.
    static let seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
    /// The bounds of sizes and numbers: the powers of 4 from 1 to 2^30.
    static let powers = (0...15).map { Double(1 << (2 * $0)) }

    private struct State: Sendable {
        /// The count of each bucket alone, and of values beyond the last bound.
        var counts: [Int]
        var sum = 0.0
    }

    private let bounds: [Double]
    private let state: Locked<State>

    /// Creates a histogram.
    ///
    /// - Parameter bounds: The upper bounds of the buckets, ascending.
    init(bounds: [Double]) {
        self.bounds = bounds
        state = Locked(State(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    // A division, because a product with 1e-9 is beyond the bound of 30 s for 30 s.
    func recordNanoseconds(_ duration: Int64) { record(Double(max(0, duration)) / 1e9) }
    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        guard value.isFinite else { return }
        let index = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLock { state in
            state.counts[index] += 1
            state.sum += value
        }
    }

    func lines(_ name: String, labels: String) -> [String] {
        let state = state.withLock { $0 }
        let prefix = labels.isEmpty ? "" : "\(labels),"
        var (lines, total) = ([String](), 0)
        for (index, count) in state.counts.enumerated() {
            total += count
            let bound = index < bounds.count ? PrometheusText.number(bounds[index]) : "+Inf"
            lines.append(PrometheusText.line("\(name)_bucket", "\(prefix)le=\"\(bound)\"", "\(total)"))
        }
        lines.append(PrometheusText.line("\(name)_sum", labels, PrometheusText.number(state.sum)))
        lines.append(PrometheusText.line("\(name)_count", labels, "\(total)"))
        return lines
    }
}
