import Foundation
import TintypeCore

extension Transfer {
    /// The response at the end of interceptors and redirects.
    func exchange() async throws -> DownloadResponse {
        let interceptors = settings.interceptors
        var request = request
        asked?.response.ask(in: &request.headers)
        guard !interceptors.isEmpty else { return try await following(request) }
        return try await HTTPExchange { try await self.following($0) }.inside(interceptors)(request)
    }

    /// What the origin is asked about: what a cache has, if this request would have got it (RFC 9111, 4.1 and 4.3.1).
    var asked: (entry: CacheEntry, response: StoredResponse)? {
        guard let stored, let response = StoredResponse(decoding: stored.metadata),
            response.isSelected(by: request)
        else { return nil }
        return (stored, response)
    }

    /// Sends a request, and those that it is redirected to.
    private func following(_ first: DownloadRequest) async throws -> DownloadResponse {
        var request = first
        var seen: Set<URL> = []
        while true {
            let response = try await send(request)
            guard settings.maximumRedirects > 0, let next = try await redirect(request, response) else {
                return response
            }
            seen.insert(request.url)
            guard !seen.contains(next.url) else { throw Self.tooMany("the redirects go in a circle") }
            guard seen.count <= settings.maximumRedirects else {
                let limit = settings.maximumRedirects
                throw Self.tooMany("more than \(limit) redirect\(limit == 1 ? "" : "s")")
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
