package import Foundation
package import TintypeCore
package import TintypeHTTP

/// The settings of a ``Gateway``.
package struct GatewayConfiguration: Sendable {
    /// The transport.
    package var transport: any HTTPTransport = CurlTransport.shared
    /// The servers that may be contacted; `nil` allows all.
    package var serverGuard: ServerGuard?
    /// The limits on the time of an exchange. Time in which the client does not read does not count as silence.
    package var limits = ExchangeLimits(
        connecting: .seconds(5), firstByte: .seconds(10), idle: .seconds(5), total: .seconds(3600))
    /// The size of the largest body that is stored, in bytes. Larger ones are passed on.
    package var maximumStoredByteCount = 64 << 20
    /// Stores responses.
    package var cache: any DataCaching
    /// The clocks, which tests replace.
    package var clock = TransferClock.system

    /// Creates the standard settings.
    package init(cache: any DataCaching) {
        self.cache = cache
    }
}

/// A shared cache of HTTP in front of origins (RFC 9111). It answers a request with a stored response, or passes it on.
///
/// Redirects, errors and every media type are passed on as they are. A body is passed on while it arrives. Of equal
/// requests, one asks the origin; the others wait until its response is stored, at most ``GatewayTurns/longestWait``.
/// All members may be called from any thread.
package final class Gateway: Sendable {
    private let configuration: GatewayConfiguration
    private let client: ExchangeClient
    private let store: GatewayStore
    private let turns = GatewayTurns()
    /// The URLs that are being revalidated in the background.
    private let refreshing = Locked<Set<URL>>([])

    /// The number of URLs that are revalidated in the background at once. Others are revalidated by a later request.
    private static let maximumRefreshCount = 64

    /// Creates a gateway. Nothing is opened before the first request.
    package init(_ configuration: GatewayConfiguration) {
        self.configuration = configuration
        client = ExchangeClient(over: configuration.transport, clock: configuration.clock)
        store = GatewayStore(configuration.cache)
    }

    /// Returns the response to a request, before its body is read.
    ///
    /// - Throws: `TintypeError.Code.forbidden` if the guard does not allow the server,
    ///   `TintypeError.Code.notCached` for `only-if-cached` without a stored response, or an error of the
    ///   exchange.
    package func respond(to request: GatewayRequest) async throws(TintypeError) -> GatewayResponse {
        let request = request.download
        try configuration.serverGuard?.check(request.url)
        try request.validate()
        guard request.isCacheable else { return try await passOn(request, after: GatewayStore.Finding()) }
        var found = await store.find(request, at: configuration.clock.date())
        if let response = usable(found, for: request) { return response }
        guard !CacheControl(request.headers).has("only-if-cached") else {
            throw TintypeError(
                .notCached, stage: .load, "no stored response may be used, and the request allows no other")
        }
        guard request.canFollow else { return try await ask(request, about: found) }
        var turn: GatewayTurns.Turn?
        switch turns.role(for: request.url) {
        case .leads(let own): turn = own
        case .follows(let end): await turns.wait(for: end, configuration.clock)
        }
        // A fetch that has ended since the first look may have stored what this request needs.
        found = await store.find(request, at: configuration.clock.date())
        if let response = usable(found, for: request) { return response }
        found.turn = turn
        return try await ask(request, about: found)
    }

    /// Returns the stored response, if it may be used without asking the origin first.
    private func usable(_ found: GatewayStore.Finding, for request: DownloadRequest) -> GatewayResponse? {
        guard let stored = found.entry, stored.verdict == .fresh || stored.verdict == .usableWhileRevalidating else {
            return nil
        }
        if stored.verdict == .usableWhileRevalidating { revalidateInBackground(request) }
        return response(stored.entry, stored.response, to: request)
    }

    /// Removes the stored responses of a URL.
    package func remove(_ url: URL) async { await store.remove([url]) }

    /// Removes the responses of all URLs that begin with a text, in all variants.
    package func remove(urlsFrom prefix: String) async { await store.remove(urlsFrom: prefix) }

    /// Waits until all responses so far are written.
    package func flush() async throws(TintypeError) { try await store.flush() }

    // MARK: The origin

    /// Asks the origin, with the conditions of the stored response if it has any.
    private func ask(
        _ request: DownloadRequest, about found: GatewayStore.Finding
    ) async throws(TintypeError) -> GatewayResponse {
        guard let stored = found.entry else { return try await passOn(request, after: found) }
        let conditional = Self.conditional(request, stored.response)
        let reply: ExchangeResponse
        do throws(TintypeError) {
            reply = try await exchange(conditional ?? request)
        } catch {
            guard stored.verdict.allowsUse(after: error) else { throw error }
            return response(stored.entry, stored.response, to: request)
        }
        if reply.status >= 500, stored.verdict == .stale(usableOnError: true) {
            await reply.discard()
            return response(stored.entry, stored.response, to: request)
        }
        guard conditional != nil, reply.status == 304 else {
            return passing(reply, to: conditional ?? request, after: found)
        }
        await reply.discard()
        guard stored.response.isConfirmed(by: reply.headers) else {
            // The origin has confirmed another response than the stored one.
            return try await passOn(request, after: found)
        }
        let renewed = renew(stored, by: reply, to: request, found)
        return response(renewed.entry, renewed.response, to: request)
    }

    /// Returns the request with the conditions of a stored response in place of its own; `nil` if it has conditions or
    /// a range that only the origin can judge.
    private static func conditional(_ request: DownloadRequest, _ stored: StoredResponse) -> DownloadRequest? {
        let judged = ["if-match", "if-unmodified-since", "if-range"]
        guard request.method == "GET", stored.hasValidator, !judged.contains(where: request.headers.contains) else {
            return nil
        }
        var conditional = request
        for name in ["if-none-match", "if-modified-since", "range"] { conditional.headers[name] = nil }
        stored.addConditions(to: &conditional.headers)
        return conditional
    }

    /// Stores the renewed header fields of a response that the origin has confirmed (RFC 9111, 4.3.4).
    private func renew(
        _ stored: GatewayStore.StoredEntry, by reply: ExchangeResponse, to request: DownloadRequest,
        _ found: GatewayStore.Finding
    ) -> (entry: CacheEntry, response: StoredResponse) {
        let chain = ExchangeChain(link(reply, to: request))
        let renewed = stored.response.renewed(by: reply.response, after: chain, storing: .all)
        var entry = stored.entry
        entry.metadata = renewed.encoded
        let confirmed = DownloadResponse(url: request.url, status: renewed.head.status, headers: reply.headers)
        if Storability.allows(confirmed, to: request, isShared: true) {
            store.store(entry, for: request.url, found.variant, after: found.removals)
        }
        return (entry, renewed)
    }

    /// Passes a request on as it is.
    private func passOn(
        _ request: DownloadRequest, after found: GatewayStore.Finding
    ) async throws(TintypeError) -> GatewayResponse {
        let reply = try await exchange(request)
        let invalidated = link(reply, to: request).invalidated
        if !invalidated.isEmpty { await store.remove(invalidated) }
        return passing(reply, to: request, after: found)
    }

    private func exchange(_ request: DownloadRequest) async throws(TintypeError) -> ExchangeResponse {
        var sent = TransportRequest(
            url: request.url.absoluteURL.withoutCredential, method: request.method, headers: request.headers,
            body: request.body)
        sent.addressCheck = try configuration.serverGuard?.addressCheck(for: request.url, by: configuration.transport)
        return try await client.send(sent, within: configuration.limits)
    }

    private func link(_ reply: ExchangeResponse, to request: DownloadRequest) -> ExchangeChain.Link {
        ExchangeChain.Link(request: request, status: reply.status, headers: reply.headers, times: reply.times)
    }

    // MARK: Responses

    /// Returns the response that passes a reply on, and stores it if that is allowed.
    private func passing(
        _ reply: ExchangeResponse, to request: DownloadRequest, after found: GatewayStore.Finding
    ) -> GatewayResponse {
        GatewayResponse(
            status: reply.status, headers: StoredHeaderFields.all.stored(of: reply.headers),
            body: .stream(GatewayStream(reply, copy: copy(of: reply, to: request, found))), isUnmodified: false)
    }

    private func copy(
        of reply: ExchangeResponse, to request: DownloadRequest, _ found: GatewayStore.Finding
    ) -> GatewayStream.Copy? {
        let limit = configuration.maximumStoredByteCount
        // A part of a body, and the confirmation of one that only the client has, are no responses to others.
        guard request.method == "GET", reply.status != 206, reply.status != 304, reply.announced ?? 0 <= limit,
            Storability.allows(reply.response, to: request, isShared: true),
            StoredResponse.fits([StoredHeaderFields.all.stored(of: reply.headers)])
        else { return nil }
        let chain = ExchangeChain(link(reply, to: request))
        let metadata = StoredResponse(reply.response, after: chain, storing: .all).encoded
        let variant = reply.headers.contains("vary") ? found.variant : nil
        return GatewayStream.Copy(received: ReceivedBytes(limit: limit), turn: found.turn) {
            [store, removals = found.removals] data, file in
            var entry = CacheEntry(data: data, format: nil, metadata: metadata)
            entry.file = file
            store.store(entry, for: request.url, variant, after: removals)
        }
    }

    private func response(
        _ entry: CacheEntry, _ stored: StoredResponse, to request: DownloadRequest
    ) -> GatewayResponse {
        var headers = stored.head.headers
        headers["Age"] = "\(Int(stored.head.age(at: configuration.clock.date())))"
        return GatewayResponse(
            status: stored.head.status, headers: headers, body: .stored(entry.data),
            isUnmodified: stored.head.status == 200 && stored.head.isUnmodified(for: request.headers, headers))
    }

    // MARK: In the background

    /// Revalidates the stored response of a request (RFC 5861, 3). Reads and stores a newer one.
    private func revalidateInBackground(_ request: DownloadRequest) {
        let begins = refreshing.withLock { refreshing in
            refreshing.count < Self.maximumRefreshCount && refreshing.insert(request.url).inserted
        }
        guard begins else { return }
        Task.detached(priority: .utility) { [self] in
            defer { refreshing.withLock { _ = $0.remove(request.url) } }
            var request = request
            (request.method, request.body) = ("GET", nil)
            for name in ["if-none-match", "if-modified-since", "range"] { request.headers[name] = nil }
            let found = await store.find(request, at: configuration.clock.date())
            guard let response = try? await ask(request, about: found), case .stream(let stream) = response.body else {
                return
            }
            while (try? await stream.next()) ?? nil != nil {}
        }
    }
}

extension StoredVerdict {
    /// Whether a stale response may be used after an error of the exchange (RFC 9111, 4.2.4, and RFC 5861, 4).
    fileprivate func allowsUse(after error: TintypeError) -> Bool {
        switch self {
        case .usableWhenUnreachable, .stale(usableOnError: true):
            [.unreachable, .transport, .timedOut, .insecure].contains(error.code)
        case .stale, .fresh, .usableWhileRevalidating: false
        }
    }
}
