import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Fails an exchange with `HTTPClientError.readTimeout` when its server sends nothing for too long.
///
/// The client's own idle timer is reset for every part of a body, which costs 10 % of a short transfer. This handler
/// instead stores the time of the last part, and compares it when its timer fires. HTTP/1.1 has one handler for each
/// connection, whose timer fires once per limit, regardless of the number of exchanges. HTTP/2 has one for each stream.
///
/// Used on the event loop of its channel only.
final class IdleHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private let limit: TimeAmount
    /// The time of the request, or of the last part that arrived since; `nil` while no response is expected.
    private var idleSince: NIODeadline?
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
            idleSince = context.eventLoop.now
            lastPart = data
        }
        context.fireChannelRead(data)
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
        let deadline = idleSince + limit
        guard deadline <= context.eventLoop.now else { return startTimer(until: deadline, context) }
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
