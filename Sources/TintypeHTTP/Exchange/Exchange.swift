import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import TintypeCore

extension Transfer {
    /// How often a request is sent again because a connection that had been kept open was closed at that moment.
    private static let maximumReplays = 3

    /// One request and its response, with what an interrupted transfer left in front of its body.
    func send(_ request: DownloadRequest) async throws -> DownloadResponse {
        guard let keeper else { return try await whole(request) }
        return try await send(request, keeper)
    }

    // What is never inlined here would make the frames larger that a transfer takes memory for (`docs/architecture.md`).

    @inline(never)
    private func send(_ request: DownloadRequest, _ keeper: PartialKeeper) async throws -> DownloadResponse {
        guard let partial = keeper.partial(for: request) else { return try await whole(request) }
        return try await rest(of: partial, request)
    }

    private func rest(of partial: Partial, _ request: DownloadRequest) async throws -> DownloadResponse {
        var ranged = request
        partial.ask(in: &ranged.headers)
        let answer = try await answer(to: ranged)
        switch partial.answer(answer.head(request.url)) {
        case .rest: return try restResponse(answer, to: request, behind: partial.data)
        case .whole: return try wholeResponse(answer, to: request)
        case .unusable:
            keeper?.forget()
            return try await whole(request)
        }
    }

    private func whole(_ request: DownloadRequest) async throws -> DownloadResponse {
        try wholeResponse(try await answer(to: request), to: request)
    }

    @inline(never)
    private func wholeResponse(_ answer: Answer, to request: DownloadRequest) throws(TintypeError) -> DownloadResponse {
        let head = answer.head(request.url)
        return try response(answer, head, to: request, isPicture: head.status == 200, behind: Data())
    }

    @inline(never)
    private func restResponse(
        _ answer: Answer, to request: DownloadRequest, behind prefix: Data
    ) throws(TintypeError) -> DownloadResponse {
        let head = answer.head(request.url)
        var response = try response(answer, head, to: request, isPicture: head.status == 206, behind: prefix)
        meter.resumed(prefix.count)
        // To everyone above it is one body, and a whole one.
        response.status = 200
        response.headers["content-range"] = nil
        response.headers["content-length"] = head.contentLength.map { "\($0 + prefix.count)" }
        return response
    }

    /// - Parameter isPicture: whether its status says that its body is what was asked for, and may be kept in part.
    private func response(
        _ answer: Answer, _ head: DownloadResponse, to request: DownloadRequest, isPicture: Bool, behind prefix: Data
    ) throws(TintypeError) -> DownloadResponse {
        let announced = request.method == "HEAD" ? nil : head.contentLength
        let keeper = isPicture && request.method == "GET" ? keeper : nil
        keeper?.begin(head, total: announced.map { $0 + prefix.count })
        var response = head
        response.body = DownloadBody(
            WireBody(
                answer.wire, coding: try head.contentCoding, announced: announced, in: self, behind: prefix,
                keeper: keeper))
        return response
    }

    private struct Answer {
        let head: HTTPResponseHead
        let wire: WireResponse

        func head(_ url: URL) -> DownloadResponse {
            DownloadResponse(url: url, status: Int(head.status.code), headers: HTTPFields(head.headers))
        }
    }

    /// The answer to a request, its body still on its way.
    ///
    /// A server may close a connection that was kept open at the moment when it is used again. Nothing was answered then,
    /// so what may be sent twice is.
    private func answer(to request: DownloadRequest) async throws -> Answer {
        try request.validate()
        if let serverGuard = settings.serverGuard { try await admit(request.url, by: serverGuard) }
        let pooled = try services.client(for: request.url, settings)
        do {
            return try await answer(to: request, from: pooled)
        } catch let closed as ClosedConnection {
            return try await answerAgain(to: request, after: closed)
        }
    }

    private func answerAgain(to request: DownloadRequest, after first: ClosedConnection) async throws -> Answer {
        var closed = first
        for _ in 0..<Self.maximumReplays where request.isIdempotent && !Task.isCancelled {
            do {
                return try await answer(to: request, from: try services.client(for: request.url, settings))
            } catch let again as ClosedConnection {
                closed = again
            }
        }
        throw TintypeError(transport: closed.underlying)
    }

    private func answer(to request: DownloadRequest, from pooled: PooledClient) async throws -> Answer {
        let response = WireResponse(to: try wire(request), over: pooled)
        do {
            let head = try await response.head()
            takeDown(head, of: response, to: request)
            return Answer(head: head.head, wire: response)
        } catch {
            throw response.connection?.isReused != false && error.isClosedConnection
                ? ClosedConnection(underlying: error) : TintypeError(transport: error)
        }
    }

    @inline(never)
    private func takeDown(_ answer: WireFeedState.Head, of response: WireResponse, to request: DownloadRequest) {
        meter.answered(
            TransferMeter.Answer(
                version: answer.head.version.name, isEncrypted: request.url.isEncrypted,
                connection: response.connection),
            at: answer.time, since: response.sent)
        cookies?.take(answer.head.headers["set-cookie"], from: request.url, at: clock.date())
    }

    private var cookies: CookieStore? { settings.options.usesCookies ? settings.configuration.cookies : nil }

    /// As the client below takes it.
    @inline(never)
    private func wire(_ request: DownloadRequest) throws(TintypeError) -> HTTPClient.Request {
        var wire = try request.clientRequest
        if let header = cookies?.header(for: request.url, at: clock.date()) {
            let own = request.headers["Cookie"]
            wire.headers.replaceOrAdd(name: "Cookie", value: own.map { "\($0); \(header)" } ?? header)
        }
        if settings.acceptsUncheckedCertificate(of: request.url, origin: self.request.url) {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.certificateVerification = .none
            wire.tlsConfiguration = tls
        }
        return wire
    }

    private func admit(_ url: URL, by serverGuard: ServerGuard) async throws(TintypeError) {
        try serverGuard.check(url)
        for address in try await HostResolver.addresses(of: url.host(percentEncoded: false) ?? "", for: job) {
            try serverGuard.check(address, for: url)
        }
    }
}

/// A connection that had been kept open, as far as is known, was closed at the moment when it was used again.
private struct ClosedConnection: Error {
    let underlying: any Error
}

extension HTTPVersion {
    /// As ``TintypeCore/TransferMetrics/httpVersion`` has it.
    fileprivate var name: String {
        switch self {
        case .http2: "http/2"
        case .http1_1: "http/1.1"
        default: "http/\(major).\(minor)"
        }
    }
}

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
