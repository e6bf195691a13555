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
        // A record lives as long as the bytes, and other fields may be secrets.
        let names = varies ? Self.varyingNames(chain, response) : []
        reduced.changeRequests { request in request.reduce(to: names) }
        self.chain = reduced
    }

    private static func varyingNames(_ chain: ExchangeChain, _ response: DownloadResponse) -> Set<String> {
        let heads = chain.redirects.map(\.headers) + [response.headers]
        return Set(heads.flatMap { $0.list("vary") }.map { $0.lowercased() })
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
    /// - Parameter names: The fields that the response varies by, in lowercase.
    fileprivate mutating func reduce(to names: Set<String>) {
        body = nil
        let isRelevant = !names.isEmpty || headers.contains("cache-control") || headers.contains("pragma")
        headers = isRelevant ? headers.filter { Self.isRelevant($0.lowercased(), names) } : HTTPFields()
    }

    private static func isRelevant(_ name: String, _ names: Set<String>) -> Bool {
        name == "cache-control" || name == "pragma" || names.contains(name)
    }
}
