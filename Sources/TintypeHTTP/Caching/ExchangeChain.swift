package import Foundation
import TintypeCore

/// The requests that one exchange sent, in order: those that were redirected, then the last one. Recorded where
/// requests leave for the network, inside all interceptors, because the header fields that were sent decide about
/// storing and using a response.
package struct ExchangeChain: Sendable {
    /// One request as it was sent, and the head of its response.
    package struct Link: Sendable {
        var request: DownloadRequest
        let status: Int
        let headers: HTTPFields
        let times: ExchangeTimes

        /// Creates a link from a request and the head of its response.
        package init(request: DownloadRequest, status: Int, headers: HTTPFields, times: ExchangeTimes) {
            (self.request, self.status, self.headers, self.times) = (request, status, headers, times)
        }

        /// The facts that decide how long a redirect is fresh.
        var head: StoredHead {
            StoredHead(status: status, headers: StoredHeaderFields.caching.stored(of: headers), times: times)
        }

        /// The link with only the header fields that decide about storing: those of a redirect may have 2 MB, and are
        /// held as long as the bytes. A redirect for which they are too large counts as one that varies by everything.
        fileprivate var reduced: Link {
            let fields = head.headers
            return Link(
                request: request, status: status, headers: StoredResponse.fits(fields) ? fields : ["Vary": "*"],
                times: times)
        }

        /// The URLs whose stored responses an unsafe request has made invalid, unless it failed: its own, and those of
        /// the same origin that the response names (RFC 9111, 4.4).
        package var invalidated: [URL] {
            guard request.isUnsafe, (200..<400).contains(status) else { return [] }
            let url = request.url
            let named = ["location", "content-location"].compactMap { name in
                headers[name].flatMap { URL(string: $0, relativeTo: url)?.absoluteURL }
            }
            return [url] + named.filter { $0 != url && $0.hasOrigin(of: url) }
        }
    }

    private(set) var redirects: [Link] = []
    private(set) var last: Link

    /// Creates a chain of one request.
    package init(_ link: Link) {
        last = link
    }

    /// Creates the chain of a response that an interceptor returned without sending the request.
    init(responseOfInterceptor response: DownloadResponse, to request: DownloadRequest, _ now: Date) {
        last = Link(
            request: request, status: response.status, headers: response.headers,
            times: ExchangeTimes(sent: now, received: now))
    }

    /// Adds the request that the last one was redirected to.
    mutating func add(_ link: Link) {
        redirects.append(last.reduced)
        last = link
    }

    /// The first request, before redirects.
    var request: DownloadRequest { redirects.first?.request ?? last.request }

    /// Applies a change to every request.
    mutating func changeRequests(_ change: (inout DownloadRequest) -> Void) {
        for index in redirects.indices { change(&redirects[index].request) }
        change(&last.request)
    }
}

/// The state of one attempt of a transfer: the requests so far, and whether the last one was conditional. It also has
/// the URLs whose stored responses became invalid in any attempt.
struct AttemptRecord: Sendable {
    /// `nil` before the first response, and if an interceptor returned a response without sending a request.
    private(set) var chain: ExchangeChain?
    /// Whether the last request carried the conditional header fields of the stored response (RFC 9110, 13.1).
    private(set) var isConditional = false
    /// The URLs whose stored responses the requests of the transfer have made invalid, each once.
    private(set) var invalidated: [URL] = []

    /// Begins a new chain: an interceptor may send several requests, of which the last one counts. The server has
    /// carried out the others, so what they made invalid stays.
    mutating func begin() { (chain, isConditional) = (nil, false) }

    mutating func add(_ link: ExchangeChain.Link, isConditional: Bool) {
        for url in link.invalidated where !invalidated.contains(url) { invalidated.append(url) }
        if chain == nil { chain = ExchangeChain(link) } else { chain?.add(link) }
        self.isConditional = isConditional
    }
}

/// The data from which a finished transfer makes the metadata of its cache entry, if the entry is stored.
struct TransferRecord: DeferredRecord {
    private let chain: ExchangeChain
    private let status: Int
    /// The header fields of the last response.
    let headers: HTTPFields
    private let fields: StoredHeaderFields
    /// Whether the response depends on header fields of the request (`Vary`).
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
        // Keep only these request fields: a record lives as long as the bytes, and other fields may be secrets.
        let names = varies ? Self.varyingNames(chain, response) : []
        reduced.changeRequests { request in request.reduce(to: names) }
        self.chain = reduced
    }

    private static func varyingNames(_ chain: ExchangeChain, _ response: DownloadResponse) -> Set<String> {
        let heads = chain.redirects.map(\.headers) + [response.headers]
        return heads.reduce(into: []) { names, head in names.formUnion(VaryField.names(in: head)) }
    }

    /// The URL that the last response came from.
    var url: URL { chain.last.request.url }

    private var response: DownloadResponse { DownloadResponse(url: url, status: status, headers: headers) }

    /// The response as a cache stores it with the bytes.
    var stored: StoredResponse { StoredResponse(response, after: chain, storing: fields) }

    /// The encoded ``StoredResponse``.
    var metadata: Data { stored.encoded }
    /// Whether the response may be stored (RFC 9111, 3), and is small enough.
    var isStorable: Bool {
        let redirects = chain.redirects.map(\.head)
        return fits(after: redirects) && Storability.allows(response, to: chain.request, after: redirects)
    }

    /// Whether the header fields that are stored are small enough. Those of most responses are before any are left out.
    private func fits(after redirects: [StoredHead]) -> Bool {
        if redirects.isEmpty, StoredResponse.fits(headers) { return true }
        return StoredResponse.fits([fields.stored(of: headers)] + redirects.map(\.headers))
    }
}

extension DownloadRequest {
    /// Removes the body, and all header fields that do not affect whether the response may be stored or selected.
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
