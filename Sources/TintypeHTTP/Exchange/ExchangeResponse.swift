package import Foundation
package import TintypeCore

/// The response to a single request of an ``ExchangeClient``: its head, and its body, which may still be arriving. One
/// task reads it. Releasing a response that has not been read to its end closes its connection.
package final class ExchangeResponse: Sendable {
    /// How many times larger than the coded body a decoded one may be.
    private static let maximumExpansion = 200
    /// The longest rest of a body that is read so that the connection can be used again.
    private static let maximumDiscardedByteCount = 4096

    /// The URL of the request.
    package let url: URL
    /// The status code, from 200 to 999.
    package let status: Int
    /// The header fields.
    package let headers: HTTPFields
    /// The times of the exchange.
    package let times: ExchangeTimes
    private let method: String
    private let stream: ResponseStream
    private let meter: TransferMeter

    /// - Parameter request: The request, as it was sent.
    init(
        _ head: ResponseHead, of stream: ResponseStream, to request: TransportRequest, times: ExchangeTimes,
        _ clock: TransferClock
    ) {
        (url, method) = (request.url, request.method)
        (status, headers) = (head.head.status, head.head.headers)
        self.times = times
        self.stream = stream
        meter = TransferMeter(clock, start: stream.sent)
        meter.recordHead(head, over: stream.connection, isEncrypted: request.url.isEncrypted, since: stream.sent)
    }

    /// The date at which the server sent the response (RFC 9110, 6.6.1); `nil` if it does not say.
    package var date: Date? { headers["date"].flatMap(HTTPDate.parse) }

    /// The date at which the head arrived.
    package var received: Date { times.received }

    /// Returns the body as it was sent.
    ///
    /// - Parameter limit: The largest number of bytes.
    /// - Throws: `TintypeError.Code.limitExceeded`, `TintypeError.Code.truncatedBody`,
    ///   `TintypeError.Code.timedOut` or `TintypeError.Code.cancelled`.
    package func collect(atMost limit: Int) async throws(TintypeError) -> Data {
        guard announced ?? 0 <= limit else { throw .exceeded(byteLimit: limit) }
        var data = Data()
        try await readParts { part throws(TintypeError) in
            guard part.count <= limit - data.count else { throw .exceeded(byteLimit: limit) }
            if data.isEmpty { data = part } else { data.append(part) }
        }
        return data
    }

    /// Returns the first bytes of the body, and ends the response if there are more. An error ends the body early.
    ///
    /// - Parameter limit: The largest number of bytes.
    package func prefix(_ limit: Int) async -> Data {
        var data = Data()
        while data.count < limit, let part = try? await stream.part(), !part.isEmpty { data.append(part) }
        return data.prefix(limit)
    }

    /// Reads a short body to its end, so that its connection can be used again.
    package func discard() async {
        let isBodiless = method == "HEAD" || status == 204 || status == 304
        guard isBodiless || announced.map({ $0 <= Self.maximumDiscardedByteCount }) ?? false else { return }
        while let part = try? await stream.part(), !part.isEmpty {}
    }

    /// Receives the body up to its end, and removes its content coding. A large body moves to a file meanwhile.
    ///
    /// - Throws: `TintypeError.Code.limitExceeded`, `TintypeError.Code.truncatedBody`,
    ///   `TintypeError.Code.undecipherable`, `TintypeError.Code.timedOut` or
    ///   `TintypeError.Code.cancelled`.
    package func receive(into received: ReceivedBytes, for job: JobContext) async throws(TintypeError) {
        let coding = try response.contentCoding
        if coding == nil, let announced { try received.expect(announced) }
        let limits = ResponseBody.Limits(byteCount: received.limit, expansion: Self.maximumExpansion)
        let decoder = try coding.map { coding throws(TintypeError) in try coding.decoder(limits) }
        var count = 0
        try await readParts { part throws(TintypeError) in
            count += part.count
            guard count <= limits.byteCount else { throw .exceeded(byteLimit: limits.byteCount) }
            try part.withTypedBytes { bytes throws(TintypeError) in
                guard let decoder else { return try received.append(bytes) }
                try decoder.decode(bytes) { bytes throws(TintypeError) in try received.append(bytes) }
            }
            if received.isWorthSpilling { try await received.spill(for: job) }
        }
        try decoder?.finish()
    }

    /// The metrics of the exchange, after its body was received.
    ///
    /// - Parameter byteCount: The number of bytes of the body without its content coding.
    func metrics(byteCount: Int) -> TransferMetrics { meter.finish(status: status, byteCount: byteCount) }

    /// The head as a response of the downloader.
    package var response: DownloadResponse { DownloadResponse(url: url, status: status, headers: headers) }

    /// The number of bytes of the body as sent; `nil` if the head does not say.
    package var announced: Int? { response.bodyLength(to: method) }

    /// Passes the parts of the body to `consume`, up to the end of the body.
    private func readParts(_ consume: (Data) async throws(TintypeError) -> Void) async throws(TintypeError) {
        var count = 0
        while case let part = try await part(after: count), !part.isEmpty {
            count += part.count
            try await consume(part)
        }
        meter.recordBody(wireBytes: count)
        try checkLength(count)
    }

    /// Checks the length of a body that has ended.
    ///
    /// - Throws: `TintypeError.Code.truncatedBody`.
    package func checkLength(_ count: Int) throws(TintypeError) {
        if let announced, announced != count { throw truncated(count) }
    }

    /// Waits for the next part of the body; nothing at its end.
    ///
    /// - Parameter count: The number of bytes before it.
    package func part(after count: Int) async throws(TintypeError) -> Data {
        do {
            return try await stream.part()
        } catch {
            guard !Task.isCancelled else { throw .cancelled }
            let failure = TintypeError(transport: error)
            throw failure.code == .transport ? truncated(count, underlying: error) : failure
        }
    }

    private func truncated(_ count: Int, underlying: (any Error)? = nil) -> TintypeError {
        let total = announced.map { " of \($0)" } ?? ""
        return TintypeError(
            .truncatedBody, stage: .load, "the body ended early, after \(count)\(total) bytes", underlying: underlying)
    }
}
