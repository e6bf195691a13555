import Foundation
import TintypeHTTP

/// Counts requests, and writes a line of the log for each.
package struct RequestMonitor: Sendable {
    /// The metrics of the server.
    let metrics: ServerMetrics
    /// Receives the lines of the log; `nil` for none.
    let log: (@Sendable (String) -> Void)?

    /// - Parameter log: Receives the lines of the log; `nil` for none.
    package init(metrics: ServerMetrics, log: (@Sendable (String) -> Void)?) {
        (self.metrics, self.log) = (metrics, log)
    }

    /// Answers a request, and records how.
    package func watching(
        _ request: ServerRequest, _ respond: () async -> ServiceResponse
    ) async -> ServiceResponse {
        let start = ContinuousClock.now
        metrics.requestBegan()
        let response = await respond()
        guard let stream = response.stream else {
            ended(request, response, ContinuousClock.now - start, bytes: response.body?.count ?? 0)
            return response
        }
        stream.whenEnded { [self] end in
            metrics.spanEnded(.streaming, end.time)
            ended(request, response, ContinuousClock.now - start, bytes: end.byteCount, isComplete: end.isComplete)
        }
        return response
    }

    /// - Parameter bytes: The number of bytes of the body that were sent.
    private func ended(
        _ request: ServerRequest, _ response: ServiceResponse, _ time: Duration, bytes: Int, isComplete: Bool = true
    ) {
        let report = response.report
        metrics.requestEnded(status: response.status, failure: report.failure, duration: time)
        if let download = report.download { metrics.spanEnded(.download, download) }
        if let work = report.work {
            metrics.spanEnded(.queue, work.queueing)
            metrics.spanEnded(.processing, work.decoding + work.encoding)
        }
        if let scope = report.shared { metrics.coalesced(scope) }
        guard let log else { return }
        var entry = entry(of: request, response)
        (entry.bytes, entry.duration) = (bytes, time)
        // The status was sent before the body broke off.
        if !isComplete { entry.code = "incomplete" }
        log(entry.line)
    }

    private func entry(of request: ServerRequest, _ response: ServiceResponse) -> AccessLogEntry {
        var entry = AccessLogEntry(
            date: Date(), requestID: request.id, method: request.method, status: response.status)
        entry.code = response.report.failure?.code
        entry.tier = response.report.tier?.rawValue
        entry.source = response.report.host.isEmpty ? nil : "https://\(response.report.host)"
        entry.client = request.client
        entry.trace = TraceParent(request.fields[TraceParent.fieldName])?.traceID
        entry.contentType = response.fields["content-type"]
        entry.download = response.report.download
        entry.isStale = response.report.isStale
        entry.shared = response.report.shared?.rawValue
        entry.key = response.report.key
        entry.loss = response.report.loss
        if let work = response.report.work {
            (entry.queueing, entry.decoding, entry.encoding) = (work.queueing, work.decoding, work.encoding)
        }
        return entry
    }
}
