import Foundation
import TintypeHTTP

/// The routes of the ports that only the operator reaches: metrics, and the purge of sources.
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
        guard let sources = Self.sources(parts.count > 1 ? parts[1] : "") else {
            return ServerRoutes.response(
                400, plain, "expected DELETE /sources?url= or ?prefix= and a percent-encoded URL", request)
        }
        await service.purge(sources)
        return ServerRoutes.response(200, plain, "purged", request)
    }

    /// Returns the sources that a query names. A prefix has the host of its sources, so that none names nearly all by
    /// mistake.
    private static func sources(_ query: String) -> PurgedSources? {
        guard let (name, value) = query.cut(at: "="), !value.utf8.contains(UInt8(ascii: "&")),
            let text = value.removingPercentEncoding, let url = try? SourceURL(text)
        else { return nil }
        switch name {
        case "url": return .url(url)
        case "prefix" where !url.host.isEmpty && !url.path.isEmpty: return .prefix(url.text)
        default: return nil
        }
    }
}
