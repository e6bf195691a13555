import Foundation
import TintypeCore

extension Transfer {
    /// The response at the end of interceptors and redirects.
    func exchange() async throws -> DownloadResponse {
        let interceptors = settings.interceptors
        var request = request
        if let stored = stored.flatMap({ StoredResponse(decoding: $0.metadata) }) { stored.ask(in: &request.headers) }
        guard !interceptors.isEmpty else { return try await following(request) }
        return try await HTTPExchange { try await self.following($0) }.inside(interceptors)(request)
    }

    /// Sends a request, and those that it is redirected to.
    private func following(_ first: DownloadRequest) async throws -> DownloadResponse {
        var request = first
        var seen: Set<URL> = [request.url]
        while true {
            let response = try await send(request)
            guard settings.maximumRedirects > 0, let next = try await redirect(request, response) else {
                return response
            }
            guard seen.insert(next.url).inserted else { throw Self.tooMany("the redirects go in a circle") }
            guard seen.count <= settings.maximumRedirects + 1 else {
                throw Self.tooMany("more than \(settings.maximumRedirects) redirects")
            }
            await response.body.discard()
            meter.redirected()
            request = next
        }
    }

    private func redirect(_ request: DownloadRequest, _ response: DownloadResponse) async throws -> DownloadRequest? {
        guard var next = try request.redirected(by: response) else { return nil }
        if let hook = settings.configuration.redirectHook {
            guard let decided = try await hook.decide(next, response) else {
                throw TintypeError(.refusedRequest, stage: .load, "a redirect to \(next.url) was refused")
            }
            next = decided
        }
        return next
    }

    private static func tooMany(_ message: String) -> TintypeError {
        TintypeError(.tooManyRedirects, stage: .load, message)
    }
}
