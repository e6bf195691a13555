import Foundation
import TintypeHTTP

/// The routes besides images: they never wait, and are answered before any queue.
package struct ServerRoutes: Sendable {
    /// Whether the server works, at this moment.
    let health: @Sendable () -> Health
    /// The page at `/`; `nil` for none.
    var page: DevelopmentPage?

    /// - Parameters:
    ///   - page: The page at `/`; `nil` for none.
    ///   - health: Whether the server works, at this moment.
    package init(page: DevelopmentPage? = nil, health: @escaping @Sendable () -> Health) {
        (self.page, self.health) = (page, health)
    }

    /// Returns the response to a request for one of these routes; `nil` for any other.
    package func response(to request: ServerRequest) -> ServiceResponse? {
        let target = request.target
        let path = target[..<(target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex)]
        switch path {
        case "/health", "/health/live":
            let status = health().liveStatus
            return Self.response(status, "text/plain; charset=utf-8", status == 200 ? "ok" : "hangs", request)
        case "/health/ready":
            let health = health()
            return Self.response(health.readyStatus, "application/json", health.readyBody, request)
        default:
            guard request.method == "GET" || request.method == "HEAD", let page = page?.response(to: path) else {
                return nil
            }
            return ServiceResponse(page.answering(request.method), ServiceReport())
        }
    }

    static func response(_ status: Int, _ type: String, _ text: String, _ request: ServerRequest) -> ServiceResponse {
        let response = ServerResponse.report(status: status, contentType: type, "\(text)\n")
        return ServiceResponse(response.answering(request.method), ServiceReport())
    }
}
