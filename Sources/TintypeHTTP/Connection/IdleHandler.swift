import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Fails an exchange when its server says nothing for too long.
///
/// The client below has a timer for that, which it sets anew with every piece of a body: of a short exchange that is a
/// tenth. This one looks when it rings how long ago the last piece came. There is one for each connection of HTTP/1.1, where
/// it rings once in the time that silence may last, however many exchanges there are meanwhile; and one for each stream of
/// HTTP/2.
final class IdleHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private let limit: TimeAmount
    /// When the server was asked, or last heard since; `nil` when nothing is expected of it.
    private var quietSince: NIODeadline?
    /// What it said last since it was asked. Looked at when the timer rings: to find out what it is costs more than the
    /// rest of this for every piece.
    private var lastHeard: NIOAny?
    private var timer: Scheduled<Void>?

    init(limit: TimeAmount) {
        self.limit = limit
    }

    /// Puts one between a channel's codec and the client's own handler.
    static func add(to channel: any Channel, limit: TimeAmount, behind codec: (some ChannelHandler).Type) throws {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(IdleHandler(limit: limit), position: .after(pipeline.handler(type: codec)))
    }

    func flush(context: ChannelHandlerContext) {
        let now = context.eventLoop.now
        quietSince = now
        lastHeard = nil
        if timer == nil { ring(at: now + limit, context) }
        context.flush()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if quietSince != nil {
            quietSince = context.eventLoop.now
            lastHeard = data
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

    private func ring(at deadline: NIODeadline, _ context: ChannelHandlerContext) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { self.look(context) }
    }

    private func look(_ context: ChannelHandlerContext) {
        timer = nil
        guard let quietSince, !hasEnded else { return stop() }
        let deadline = quietSince + limit
        guard deadline <= context.eventLoop.now else { return ring(at: deadline, context) }
        stop()
        context.fireErrorCaught(HTTPClientError.readTimeout)
    }

    /// Whether all of the response has come.
    private var hasEnded: Bool {
        if case .end = lastHeard.map(unwrapInboundIn) { true } else { false }
    }

    private func stop() {
        timer?.cancel()
        timer = nil
        quietSince = nil
        lastHeard = nil
    }
}
