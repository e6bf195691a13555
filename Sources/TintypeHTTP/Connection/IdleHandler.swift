import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Fails an exchange with `HTTPClientError.readTimeout` when its server sends nothing for too long.
///
/// The client's own idle timer is reset for every part of a body, which costs 10 % of a short transfer. This handler
/// instead stores the time of the last progress, and compares it when its timer fires. HTTP/1.1 has one handler for each
/// connection, whose timer fires once per limit, regardless of the number of exchanges. HTTP/2 has one for each stream.
///
/// A channel reads again after each read, unless the client holds it back because its reader is slow or its rate is limited.
/// The server has to wait then, which does not count.
///
/// Used on the event loop of its channel only.
final class IdleHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private let limit: TimeAmount
    /// The time from which the wait is measured: that of the request, or of the first read after the latest response
    /// part. `nil` while no response is expected.
    private var idleSince: NIODeadline?
    /// Whether a part has arrived since the last read.
    private var hasNewPart = false
    /// Whether the channel waits for bytes. A channel begins to read before it has this handler.
    private var isReading = true
    /// The last part that arrived since the request. It is unwrapped when the timer fires: unwrapping every part would
    /// cost more than the rest of this handler.
    private var lastPart: NIOAny?
    private var timer: Scheduled<Void>?

    init(limit: TimeAmount) {
        self.limit = limit
    }

    func flush(context: ChannelHandlerContext) {
        let now = context.eventLoop.now
        idleSince = now
        lastPart = nil
        if timer == nil { startTimer(until: now + limit, context) }
        context.flush()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if idleSince != nil {
            hasNewPart = true
            lastPart = data
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        isReading = false
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        isReading = true
        if hasNewPart {
            hasNewPart = false
            if idleSince != nil { idleSince = context.eventLoop.now }
        }
        context.read()
    }

    func channelInactive(context: ChannelHandlerContext) {
        stop()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        stop()
    }

    private func startTimer(until deadline: NIODeadline, _ context: ChannelHandlerContext) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { self.timerFired(context) }
    }

    private func timerFired(_ context: ChannelHandlerContext) {
        timer = nil
        guard let idleSince, !hasEnded else { return stop() }
        let now = context.eventLoop.now
        let deadline = (isReading ? idleSince : now) + limit
        guard deadline <= now else { return startTimer(until: deadline, context) }
        stop()
        context.fireErrorCaught(HTTPClientError.readTimeout)
    }

    /// Whether the response is complete.
    private var hasEnded: Bool {
        if case .end = lastPart.map(unwrapInboundIn) { true } else { false }
    }

    private func stop() {
        timer?.cancel()
        timer = nil
        idleSince = nil
        lastPart = nil
    }
}
