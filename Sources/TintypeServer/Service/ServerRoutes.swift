import Foundation
import TintypeHTTP

/// The routes besides images: they never wait, and are answered before any queue.
struct ServerRoutes: Sendable {
    /// Whether the server works, at this moment.
    let health: @Sendable () -> Health

    /// Returns the response to a request for one of these routes; `nil` for any other.
    func response(to request: ServerRequest) -> ServiceResponse? {
        switch request.target.prefix(while: { $0 != "?" }) {
        case "/health", "/health/live":
            let status = health().liveStatus
            return Self.response(status, "text/plain; charset=utf-8", status == 200 ? "ok" : "hangs", request)
        case "/health/ready":
            let health = health()
            return Self.response(health.readyStatus, "application/json", health.readyBody, request)
        default: return nil
        }
    }

    static func response(_ status: Int, _ type: String, _ text: String, _ request: ServerRequest) -> ServiceResponse {
        let response = ServerResponse.report(status: status, contentType: type, "\(text)\n")
        return ServiceResponse(response.answering(request.method), ServiceReport())
    }
}
