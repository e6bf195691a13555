import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOHTTP2

/// Fails an exchange when its server says nothing for too long.
///
/// The client below has a timer for that, which it sets anew with every piece of a body: of a short exchange that is a
/// tenth. This one looks when it rings how long ago the last piece came, and rings once in the time that silence may
/// last, however many exchanges a connection has meanwhile.
final class SilenceHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private let limit: TimeAmount
    /// When the server was last heard, or asked; `nil` when nothing is asked.
    private var heard: NIODeadline?
    private var timer: Scheduled<Void>?

    init(limit: TimeAmount) {
        self.limit = limit
    }

    /// Puts one between a channel's codec and the client's own handler.
    static func add(to channel: any Channel, limit: TimeAmount, behind codec: (some ChannelHandler).Type) throws {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(SilenceHandler(limit: limit), position: .after(pipeline.handler(type: codec)))
    }

    func flush(context: ChannelHandlerContext) {
        let now = context.eventLoop.now
        heard = now
        if timer == nil { ring(at: now + limit, context) }
        context.flush()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .end = unwrapInboundIn(data) { heard = nil } else if heard != nil { heard = context.eventLoop.now }
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
        guard let heard else { return }
        let now = context.eventLoop.now
        // While the server still takes a request's body in, it has nothing to say.
        let deadline = context.channel.isWritable ? heard + limit : now + limit
        guard deadline <= now else { return ring(at: deadline, context) }
        self.heard = nil
        context.fireErrorCaught(HTTPClientError.readTimeout)
    }

    private func stop() {
        timer?.cancel()
        timer = nil
        heard = nil
    }
}
