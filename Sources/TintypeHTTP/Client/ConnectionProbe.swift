import NIOCore

/// Stands first in the pipeline of a connection and says which one it is while something comes over it: the client below
/// tells of an answer, and not over what it came.
///
/// All connections of a client are on one event loop, so at most one says so at a time.
final class ConnectionProbe: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let current: CurrentConnection
    private let facts: ConnectionFacts

    init(_ current: CurrentConnection, ready: Duration) {
        self.current = current
        facts = ConnectionFacts(ready: ready)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        current.during(facts) { context.fireChannelRead(data) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        current.during(facts) { context.fireChannelReadComplete() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        current.during(facts) { context.fireChannelInactive() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        current.during(facts) { context.fireErrorCaught(error) }
    }
}
