import Foundation
import TintypeCore

/// What HTTP caching has to know of a transfer.
struct TransferRecord: DeferredRecord {
    let request: DownloadRequest
    let response: DownloadResponse
    let times: ExchangeTimes

    var metadata: Data { StoredResponse(response, to: request, times).encoded }
    var isStorable: Bool { Freshness.isStorable(response, for: request) }
}
