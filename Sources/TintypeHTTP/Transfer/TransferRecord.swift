import Foundation
import TintypeCore

/// What HTTP caching has to know of a transfer.
struct TransferRecord: DeferredRecord {
    /// What matters of it: it may hold secrets, and this is kept as long as the bytes.
    private let request: DownloadRequest
    private let response: DownloadResponse
    private let times: ExchangeTimes

    /// - Parameter response: without its body.
    init(request: DownloadRequest, response: DownloadResponse, times: ExchangeTimes) {
        self.request = Self.relevant(request, to: response)
        self.response = response
        self.times = times
    }

    /// All of the fields where `Vary` may name any of them, and else those that say whether a response may be kept.
    private static func relevant(_ request: DownloadRequest, to response: DownloadResponse) -> DownloadRequest {
        var relevant = DownloadRequest(url: request.url)
        if response.headers.contains("vary") {
            relevant.headers = request.headers
        } else {
            for name in ["cache-control", "pragma"] where request.headers.contains(name) {
                for value in request.headers.values(name) { relevant.headers.add(name, value) }
            }
        }
        return relevant
    }

    var metadata: Data { StoredResponse(response, to: request, times).encoded }
    var isStorable: Bool { Freshness.isStorable(response, for: request) }
}
