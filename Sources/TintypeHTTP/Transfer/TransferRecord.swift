import Foundation
import TintypeCore

/// What HTTP caching has to know of a transfer.
struct TransferRecord: DeferredRecord {
    /// What matters of the request: it may hold secrets, and this is kept as long as the bytes.
    private let asking: HTTPFields
    /// Where the answer came from.
    private let url: URL
    private let status: Int
    private let answered: HTTPFields
    private let times: ExchangeTimes

    init(request: DownloadRequest, response: DownloadResponse, times: ExchangeTimes) {
        asking = Self.relevant(request.headers, to: response.headers)
        url = response.url
        status = response.status
        answered = response.headers
        self.times = times
    }

    /// All of the fields where `Vary` may name any of them, and else those that say whether a response may be kept.
    private static func relevant(_ asking: HTTPFields, to answered: HTTPFields) -> HTTPFields {
        guard !answered.contains("vary") else { return asking }
        var relevant = HTTPFields()
        for name in ["cache-control", "pragma"] where asking.contains(name) {
            for value in asking.values(name) { relevant.add(name, value) }
        }
        return relevant
    }

    private var request: DownloadRequest { DownloadRequest(url: url, headers: asking) }
    private var response: DownloadResponse { DownloadResponse(url: url, status: status, headers: answered) }

    var metadata: Data { StoredResponse(response, to: request, times).encoded }
    var isStorable: Bool { Freshness.isStorable(response, for: request) }
}
