import Foundation
import TintypeCore

/// The data from which a finished transfer makes the metadata of its cache entry, if the entry is stored.
struct TransferRecord: DeferredRecord {
    private let chain: ExchangeChain
    private let status: Int
    private let headers: HTTPFields
    private let fields: StoredHeaderFields
    /// Whether other header fields of the request may lead to other bytes.
    let varies: Bool

    /// - Parameters:
    ///   - chain: The requests as they were sent, and their responses.
    ///   - response: The last response, as interceptors returned it.
    ///   - fields: The header fields of the response that are stored.
    init(_ chain: ExchangeChain, _ response: DownloadResponse, storing fields: StoredHeaderFields) {
        status = response.status
        headers = response.headers
        self.fields = fields
        varies = response.headers.contains("vary") || chain.redirects.contains { $0.headers.contains("vary") }
        var reduced = chain
        // A record lives as long as the bytes, and the fields may be secrets.
        reduced.changeRequests { [varies] request in request.reduce(keepingFields: varies) }
        self.chain = reduced
    }

    private var response: DownloadResponse {
        DownloadResponse(url: chain.last.request.url, status: status, headers: headers)
    }

    /// The encoded ``StoredResponse``.
    var metadata: Data { StoredResponse(response, after: chain, storing: fields).encoded }
    /// Whether the response may be stored (RFC 9111, 3).
    var isStorable: Bool {
        Storability.allows(response, to: chain.request, after: chain.redirects.map(\.head))
    }
}

extension DownloadRequest {
    /// Removes what does not decide about storing the response.
    ///
    /// - Parameter keepsFields: Whether all header fields are needed, because a response has a `Vary` field.
    fileprivate mutating func reduce(keepingFields keepsFields: Bool) {
        body = nil
        guard !keepsFields else { return }
        let isDirected = headers.contains("cache-control") || headers.contains("pragma")
        headers = isDirected ? headers.filter { ["cache-control", "pragma"].contains($0.lowercased()) } : HTTPFields()
    }
}
