import Foundation
import TintypeHTTP

/// The routes of the ports that only the operator reaches: metrics, and the purge of a source.
package struct OperatorRoutes: Sendable {
    private let service: ImageService
    private let metrics: (@Sendable () -> String)?
    private let gate: BearerGate?

    /// - Parameters:
    ///   - metrics: Returns the metrics in the text format of Prometheus; `nil` for a port without them.
    ///   - gate: Whom purges are allowed to; `nil` for a port without them.
    package init(_ service: ImageService, metrics: (@Sendable () -> String)? = nil, gate: BearerGate? = nil) {
        (self.service, self.metrics, self.gate) = (service, metrics, gate)
    }

    /// Returns the response to a request.
    package func response(to request: ServerRequest) async -> ServiceResponse {
        let plain = "text/plain; charset=utf-8"
        let parts = request.target.split(separator: "?", maxSplits: 1).map(String.init)
        if let metrics, request.method == "GET" {
            return ServerRoutes.response(200, "text/plain; version=0.0.4; charset=utf-8", metrics(), request)
        }
        guard let gate, request.method == "DELETE", parts.first == "/sources" else {
            return ServerRoutes.response(404, plain, "there is no such route", request)
        }
        guard gate.allows(request.fields) else {
            return ServerRoutes.response(401, plain, "the bearer token is missing or wrong", request)
        }
        let query = parts.count > 1 ? parts[1].split(separator: "&").map(String.init) : []
        let text = query.first { $0.hasPrefix("url=") }?.dropFirst(4)
        guard let text, let url = String(text).removingPercentEncoding, let source = try? SourceURL(url) else {
            return ServerRoutes.response(400, plain, "expected DELETE /sources?url= and a percent-encoded URL", request)
        }
        await service.purge(source)
        return ServerRoutes.response(200, plain, "purged", request)
    }
}
