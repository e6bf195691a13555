import Foundation
import TintypeHTTP

/// Counts requests, and writes a line of the log for each.
struct RequestMonitor: Sendable {
    /// The metrics of the server.
    let metrics: ServerMetrics
    /// Receives the lines of the log; `nil` for none.
    let log: (@Sendable (String) -> Void)?

    /// Answers a request, and records how.
    func watching(_ request: ServerRequest, _ respond: () async -> ServiceResponse) async -> ServiceResponse {
        let start = ContinuousClock.now
        metrics.requestBegan()
        let response = await respond()
        let (report, time) = (response.report, ContinuousClock.now - start)
        metrics.requestEnded(status: response.status, failure: report.failure, duration: time)
        if let download = report.download { metrics.spanEnded(.download, download) }
        if let processing = report.processing { metrics.spanEnded(.processing, processing) }
        count(report)
        log?(line(request, response, time))
        return response
    }

    private func count(_ report: ServiceReport) {
        guard report.isRendition else { return }
        metrics.lookedUp(tier: "memory", isHit: report.tier == .memory)
        if report.tier != .memory { metrics.lookedUp(tier: "disk", isHit: report.tier == .disk) }
    }

    private func line(_ request: ServerRequest, _ response: ServiceResponse, _ time: Duration) -> String {
        var entry = AccessLogEntry(
            date: Date(), requestID: request.id, method: request.method, status: response.status)
        entry.bytes = response.body?.count ?? 0
        entry.duration = time
        entry.code = response.report.failure?.code
        entry.tier = response.report.tier?.rawValue
        entry.source = response.report.host.isEmpty ? nil : "https://\(response.report.host)"
        entry.contentType = response.fields["content-type"]
        entry.download = response.report.download
        entry.decoding = response.report.processing
        return entry.line
    }
}
