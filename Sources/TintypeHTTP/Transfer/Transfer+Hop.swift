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
