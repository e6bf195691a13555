import Foundation
import TintypeCore

extension Transfer {
    /// The response at the end of interceptors and redirects.
    func exchange() async throws -> DownloadResponse {
        guard hasForeignCode else { return try await following(firstRequest) }
        // This may still be the thread of who asked, and what a program has written may take its time.
        return try await withTaskExecutorPreference(globalConcurrentExecutor) { try await intercepted() }
    }

    /// Whether functions of the program's take part in it.
    private var hasForeignCode: Bool {
        !settings.interceptors.isEmpty || settings.configuration.redirectHook != nil
    }

    @concurrent
    private func intercepted() async throws -> DownloadResponse {
        try await HTTPExchange { try await self.following($0) }.inside(settings.interceptors)(firstRequest)
    }

    private var firstRequest: DownloadRequest {
        guard let asked else { return request }
        var request = request
        asked.response.ask(in: &request.headers)
        return request
    }

    /// What the origin is asked about: what a cache has, if this request would have got it (RFC 9111, 4.1 and 4.3.1).
    var asked: (entry: CacheEntry, response: StoredResponse)? {
        guard let stored, let response = StoredResponse(decoding: stored.metadata),
            response.isSelected(by: request)
        else { return nil }
        return (stored, response)
    }

    /// Sends a request, and those that it is redirected to.
    private func following(_ request: DownloadRequest) async throws -> DownloadResponse {
        let response = try await send(request)
        guard settings.maximumRedirects > 0, response.isRedirect else { return response }
        return try await followed(response, to: request)
    }

    private func followed(_ first: DownloadResponse, to request: DownloadRequest) async throws -> DownloadResponse {
        var (request, response) = (request, first)
        var seen: Set<URL> = []
        while let next = try await redirect(request, response) {
            seen.insert(request.url)
            guard !seen.contains(next.url) else { throw Self.tooMany("the redirects go in a circle") }
            guard seen.count <= settings.maximumRedirects else {
                let limit = settings.maximumRedirects
                throw Self.tooMany("more than \(limit) redirect\(limit == 1 ? "" : "s")")
            }
            await response.body.discard()
            meter.redirected()
            request = next
            response = try await send(request)
        }
        return response
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
