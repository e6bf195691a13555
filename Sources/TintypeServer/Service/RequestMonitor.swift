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
        if let work = report.work {
            metrics.spanEnded(.queue, work.queueing)
            metrics.spanEnded(.processing, work.decoding + work.encoding)
        }
        if let scope = report.shared { metrics.coalesced(scope) }
        log?(line(request, response, time))
        return response
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
        entry.shared = response.report.shared?.rawValue
        entry.key = response.report.key
        if let work = response.report.work {
            (entry.queueing, entry.decoding, entry.encoding) = (work.queueing, work.decoding, work.encoding)
        }
        return entry.line
    }
}
