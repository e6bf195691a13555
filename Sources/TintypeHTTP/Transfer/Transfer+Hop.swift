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
        guard let partial = keeper?.partial(for: request) else { return try await whole(request) }
        return try await rest(of: partial, request)
    }

    private func whole(_ request: DownloadRequest) async throws -> DownloadResponse {
        try body(try await answer(to: request), to: request)
    }

    private func rest(of partial: Partial, _ request: DownloadRequest) async throws -> DownloadResponse {
        var ranged = request
        partial.ask(in: &ranged.headers)
        let answer = try await answer(to: ranged)
        switch partial.answer(answer.head(request.url)) {
        case .rest: return try body(answer, to: request, behind: partial)
        case .whole: return try body(answer, to: request)
        case .unusable:
            keeper?.forget()
            return try await whole(request)
        }
    }

    private func body(
        _ answer: Answer, to request: DownloadRequest, behind partial: Partial? = nil
    ) throws(TintypeError) -> DownloadResponse {
        var response = answer.head(request.url)
        let isWhole = request.method == "GET" && response.status == (partial == nil ? 200 : 206)
        let announced = request.method == "HEAD" ? nil : response.contentLength
        let prefix = partial?.data ?? Data()
        if isWhole { keeper?.begin(response, total: announced.map { $0 + prefix.count }) }
        if partial != nil { meter.resumed(prefix.count) }
        response.body = DownloadBody(
            WireBody(
                answer.wire.body, over: answer.client, coding: try response.contentCoding, announced: announced,
                in: self, behind: prefix, keeper: isWhole ? keeper : nil))
        if partial != nil {
            // To everyone above it is one body, and a whole one.
            response.status = 200
            response.headers["content-range"] = nil
            response.headers["content-length"] = announced.map { "\($0 + prefix.count)" }
        }
        return response
    }

    private struct Answer {
        let wire: HTTPClientResponse
        let client: PooledClient

        func head(_ url: URL) -> DownloadResponse {
            DownloadResponse(url: url, status: Int(wire.status.code), headers: HTTPFields(wire.headers))
        }
    }

    /// The answer to a request, its body still on its way.
    ///
    /// A server may close a connection that was kept open at the moment when it is used again. Nothing was answered then,
    /// so what may be sent twice is.
    private func answer(to request: DownloadRequest) async throws -> Answer {
        try request.validate()
        if let serverGuard = settings.serverGuard { try await admit(request.url, by: serverGuard) }
        var replays = 0
        while true {
            let pooled = try services.client(for: request.url, settings)
            let note = ConnectionNote(pooled.log)
            do {
                let answer = try await pooled.client.execute(
                    wire(request), deadline: .distantFuture, logger: note.logger)
                takeDown(answer, to: request, note)
                return Answer(wire: answer, client: pooled)
            } catch {
                guard note.use?.isReused != false, replays < Self.maximumReplays, request.isIdempotent,
                    error.isClosedConnection, !Task.isCancelled
                else { throw TintypeError(transport: error) }
                replays += 1
            }
        }
    }

    private func takeDown(_ answer: HTTPClientResponse, to request: DownloadRequest, _ note: ConnectionNote) {
        meter.answered(
            TransferMeter.Answer(
                version: answer.version.name, isEncrypted: request.url.isEncrypted,
                connection: note.use),
            since: note.sent)
        cookies?.take(answer.headers["set-cookie"], from: request.url, at: clock.date())
    }

    private var cookies: CookieStore? { settings.options.usesCookies ? settings.configuration.cookies : nil }

    /// As the client below takes it.
    private func wire(_ request: DownloadRequest) -> HTTPClientRequest {
        var wire = request.clientRequest
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
