import Foundation
package import TintypeCore

/// Sends single requests over a transport, for protocols on top of HTTP such as that of S3.
///
/// Each call is one exchange, without the redirects, cookies, interceptors, caching and queues of a ``Downloader``. All
/// members may be called from any thread.
package final class ExchangeClient: Sendable {
    /// The clocks and the random numbers, which tests replace.
    package let clock: TransferClock
    private let transport: any HTTPTransport
    private let watch: TransferWatch

    /// Creates a client. Nothing is started or opened before the first request.
    package init(over transport: any HTTPTransport, clock: TransferClock = .system) {
        self.clock = clock
        self.transport = transport
        watch = TransferWatch(clock)
    }

    /// Sends a request, and waits for the head of its response, whatever its status.
    ///
    /// A server may close an idle connection at the moment when it is used again. A request with an idempotent method
    /// is then sent once more, over a new connection.
    ///
    /// - Parameters:
    ///   - request: A valid request. Its time-out for connecting is replaced.
    ///   - limits: The limits on the time of the exchange, its body included.
    /// - Throws: `TintypeError.Code.timedOut`, `TintypeError.Code.unreachable`,
    ///   `TintypeError.Code.transport`, `TintypeError.Code.insecure`, or
    ///   `TintypeError.Code.cancelled` when the task is cancelled.
    package func send(
        _ request: TransportRequest, within limits: ExchangeLimits
    ) async throws(TintypeError) -> ExchangeResponse {
        var request = request
        request.connectTimeout = limits.connecting
        let start = clock.uptime()
        while true {
            let sent = clock.date()
            let stream = ResponseStream(
                to: request, over: transport, clock, at: limits.pace(from: start), under: watch, limitedBy: nil)
            do {
                let head = try await stream.head()
                return ExchangeResponse(
                    head, of: stream, to: request, times: ExchangeTimes(sent: sent, received: clock.date()), clock)
            } catch {
                let isReplayable = error.allowsReplay(
                    isIdempotent: request.isIdempotent, isReused: stream.connection?.isReused)
                guard isReplayable, !request.usesNewConnection, !Task.isCancelled else {
                    throw Task.isCancelled ? .cancelled : TintypeError(transport: error)
                }
                request.usesNewConnection = true
            }
        }
    }
}

/// The limits on the time of one exchange.
package struct ExchangeLimits: Hashable, Sendable {
    /// The longest time until a connection is established, name resolution and TLS handshake included.
    package var connecting: Duration
    /// The longest time from the beginning of the request to the head of the response.
    package var firstByte: Duration
    /// The longest time without progress of the body.
    package var idle: Duration
    /// The longest time of the whole exchange.
    package var total: Duration

    /// Creates limits.
    package init(connecting: Duration, firstByte: Duration, idle: Duration, total: Duration) {
        self.connecting = connecting
        self.firstByte = firstByte
        self.idle = idle
        self.total = total
    }

    /// - Parameter start: The uptime at which the exchange began.
    fileprivate func pace(from start: Duration) -> TransferPace {
        TransferPace(
            totalTime: total, from: start, rate: nil,
            silence: SilenceLimit(connecting: connecting, idle: firstByte, idleInBody: idle))
    }
}
