import NIOCore

/// Stands first in the pipeline of a connection and says which one it is while something comes over it: the client below
/// tells a request's delegate of its answer, and not over what it came.
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

/// The connection of a client over which something is coming at this moment.
final class CurrentConnection: Sendable {
    let loop: any EventLoop
    private let facts: NIOLoopBoundBox<ConnectionFacts?>

    init(_ loop: any EventLoop) {
        self.loop = loop
        facts = .makeEmptyBox(eventLoop: loop)
    }

    /// To be called on the loop.
    fileprivate func during(_ connection: ConnectionFacts, _ body: () -> Void) {
        let before = facts.value
        facts.value = connection
        body()
        facts.value = before
    }

    /// What is known of the connection to one whose answer begins, or fails before that; `nil` when none is speaking.
    func use(countsAnswer: Bool) -> ConnectionUse? {
        guard loop.inEventLoop, let facts = facts.value else { return nil }
        defer { if countsAnswer { facts.answers += 1 } }
        return ConnectionUse(isReused: facts.answers > 0, ready: facts.ready)
    }

    /// Puts a probe into the pipeline of a new connection.
    func probe(_ channel: any Channel, ready: Duration) throws {
        try channel.pipeline.syncOperations.addHandler(ConnectionProbe(self, ready: ready), position: .first)
    }
}
