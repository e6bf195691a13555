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
        guard let partial = keeper.partial(for: request) else {
            return try body(try await sendOnce(request), to: request)
        }
        var ranged = request
        partial.ask(in: &ranged.headers)
        let answer = try await sendOnce(ranged)
        switch partial.answer(answer.response) {
        case .rest: return try body(answer, to: request, behind: partial)
        case .whole: return try body(answer, to: request)
        case .unusable:
            keeper.forget()
            return try body(try await sendOnce(request), to: request)
        }
    }

    private func body(
        _ answer: Answer, to request: DownloadRequest, behind partial: Partial? = nil
    ) throws(TintypeError) -> DownloadResponse {
        var response = answer.response
        let isWhole = request.method == "GET" && response.status == (partial == nil ? 200 : 206)
        let announced = request.method == "HEAD" ? nil : response.contentLength
        let prefix = partial?.data ?? Data()
        if isWhole { keeper.begin(response, total: announced.map { $0 + prefix.count }) }
        if partial != nil { meter.resumed(prefix.count) }
        response.body = DownloadBody(
            WireBody(
                body: answer.body, client: answer.client, coding: try response.contentCoding, announced: announced,
                limits: settings.limits, meter: meter, job: job, prefix: prefix, keeper: isWhole ? keeper : nil))
        if partial != nil {
            // To everyone above it is one body, and a whole one.
            response.status = 200
            response.headers["content-range"] = nil
            response.headers["content-length"] = announced.map { "\($0 + prefix.count)" }
        }
        return response
    }

    private struct Answer {
        let response: DownloadResponse
        let body: HTTPClientResponse.Body
        let client: PooledClient
    }

    private func sendOnce(_ request: DownloadRequest) async throws -> Answer {
        try request.validate()
        try await guarded(request.url)
        var request = request
        let cookies = settings.options.usesCookies ? settings.configuration.cookies : nil
        if let header = cookies?.header(for: request.url, at: settings.configuration.clock.date()) {
            request.headers["Cookie"] = [request.headers["Cookie"], header].compactMap { $0 }.joined(separator: "; ")
        }
        let (answer, client) = try await replaying(request)
        let response = DownloadResponse(
            url: request.url, status: Int(answer.status.code), headers: HTTPFields(answer.headers))
        cookies?.take(response.headers.values("set-cookie"), from: request.url, at: settings.configuration.clock.date())
        return Answer(response: response, body: answer.body, client: client)
    }

    private func guarded(_ url: URL) async throws(TintypeError) {
        guard let serverGuard = settings.serverGuard else { return }
        try serverGuard.check(url)
        for address in try await HostResolver.addresses(of: url.host(percentEncoded: false) ?? "", for: job) {
            try serverGuard.check(address, for: url)
        }
    }

    /// A server may close a connection that was kept open at the moment when it is used again. Nothing was answered then,
    /// so what may be sent twice is.
    private func replaying(_ request: DownloadRequest) async throws -> (HTTPClientResponse, PooledClient) {
        var replays = 0
        while true {
            let pooled = try services.client(for: request.url, settings)
            let note = ConnectionNote(pooled.log)
            do {
                return (try await execute(request, pooled, note), pooled)
            } catch {
                guard note.use?.isReused != false, replays < Self.maximumReplays, request.isIdempotent,
                    error.isClosedConnection, !Task.isCancelled
                else { throw TintypeError(transport: error) }
                replays += 1
            }
        }
    }

    private func execute(
        _ request: DownloadRequest, _ pooled: PooledClient, _ note: ConnectionNote
    ) async throws -> HTTPClientResponse {
        var wire = request.clientRequest
        if settings.acceptsUncheckedCertificate(of: request.url, origin: self.request.url) {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.certificateVerification = .none
            wire.tlsConfiguration = tls
        }
        let sent = meter.now
        let response = try await pooled.client.execute(wire, deadline: .distantFuture, logger: note.logger)
        meter.answered(
            TransferMeter.Answer(
                version: response.version.name, isEncrypted: request.url.scheme?.lowercased() == "https",
                connection: note.use),
            since: sent)
        return response
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
