import TintypeCore

/// All metrics of a program, which Prometheus reads as text. You can use it from any thread.
package final class PrometheusRegistry: Sendable {
    /// The kinds of metrics.
    enum Kind: String, Hashable, Sendable {
        case counter
        case gauge
        case histogram
    }

    /// The sets of labels of one metric.
    private struct Family: Sendable {
        let kind: Kind
        var series: [String: any PrometheusSeries] = [:]
    }

    private struct State: Sendable {
        var families: [String: Family] = [:]
    }

    private let state = Locked(State())
    private let help: [String: String]
    private let maximumSeriesCount: Int
    private let maximumFamilyCount = 1000

    /// The longest value of a label, in characters.
    private static let maximumLabelLength = 128

    /// Creates a registry without metrics.
    ///
    /// - Parameters:
    ///   - help: What metrics mean, by their names.
    ///   - maximumSeriesCount: The number of sets of labels of one metric. Values from outside could otherwise fill the
    ///     memory; further sets share one whose labels are all `other`.
    package init(help: [String: String] = ServerMetrics.help, maximumSeriesCount: Int = 200) {
        self.help = help
        self.maximumSeriesCount = max(1, maximumSeriesCount)
    }

    /// Returns the series of a metric with a set of labels, which is made if it is new.
    ///
    /// A series whose name has another kind already is not in the text, which would be invalid with both.
    func series<Series: PrometheusSeries>(
        _ name: String, _ kind: Kind, _ labels: [(String, String)], make: @Sendable () -> Series
    ) -> Series {
        let name = PrometheusText.metricName(name)
        let labels = labels.map { ($0.0, String($0.1.prefix(Self.maximumLabelLength))) }
        let text = PrometheusText.labels(labels)
        let found: Series? = state.withLock { state in
            guard state.families[name] != nil || state.families.count < maximumFamilyCount else { return nil }
            var family = state.families[name] ?? Family(kind: kind)
            guard family.kind == kind else { return nil }
            let isNew = family.series[text] == nil
            let key =
                isNew && family.series.count >= maximumSeriesCount
                ? PrometheusText.labels(labels.map { ($0.0, "other") }) : text
            guard let present = family.series[key] else {
                let series = make()
                family.series[key] = series
                state.families[name] = family
                return series
            }
            return present as? Series
        }
        return found ?? make()
    }

    /// Removes a series.
    func remove(_ series: AnyObject) {
        state.withLock { [identity = ObjectIdentifier(series)] state in
            for (name, family) in state.families {
                guard let key = family.series.first(where: { ObjectIdentifier($0.value) == identity })?.key else {
                    continue
                }
                state.families[name]?.series[key] = nil
                return
            }
        }
    }

    /// Returns the values of all metrics, sorted by name and labels.
    package func text() -> String {
        let families = state.withLock { $0.families }
        var lines: [String] = []
        for (name, family) in families.sorted(by: { $0.key < $1.key }) where !family.series.isEmpty {
            lines += PrometheusText.header(name, help: help[name], type: family.kind.rawValue)
            for (labels, series) in family.series.sorted(by: { $0.key < $1.key }) {
                lines += series.lines(name, labels: labels)
            }
        }
        return lines.map { $0 + "\n" }.joined()
    }
}
