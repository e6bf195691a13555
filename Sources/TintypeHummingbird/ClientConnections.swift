#if Server
import NIOCore
import NIOHTTPTypes
import TintypeCore
import TintypeServer

/// The open connections, by their channels: Hummingbird hands a request over with its channel, but does not cancel it
/// when the client leaves.
final class ClientConnections: Sendable {
    private let open = Locked<[ObjectIdentifier: ClientConnection]>([:])

    /// Returns the connection of a channel.
    func connection(of channel: any Channel) -> ClientConnection {
        if let connection = open.withLock({ $0[ObjectIdentifier(channel)] }) { return connection }
        // The channel was closed before its request was looked at.
        let connection = ClientConnection()
        connection.close()
        return connection
    }

    fileprivate func add(_ connection: ClientConnection, _ channel: any Channel) {
        open.withLock { $0[ObjectIdentifier(channel)] = connection }
    }

    fileprivate func remove(_ channel: any Channel) { open.withLock { $0[ObjectIdentifier(channel)] = nil } }
}

/// Notices that a client leaves: it closes the connection or its direction, or resets the stream.
final class ClosedConnectionHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    private let connections: ClientConnections
    /// `nil` before the handler is added.
    private var connection: ClientConnection?

    init(_ connections: ClientConnections) {
        self.connections = connections
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let connection = ClientConnection(peer: context.channel.remoteAddress?.ipAddress)
        self.connection = connection
        connections.add(connection, context.channel)
    }

    func handlerRemoved(context: ChannelHandlerContext) { connections.remove(context.channel) }

    func channelInactive(context: ChannelHandlerContext) {
        connection?.close()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // Only connections with HTTP/1.1 have this event. A client that still reads is taken for one that has left, as
        // nginx does.
        if case .inputClosed? = event as? ChannelEvent { connection?.close() }
        context.fireUserInboundEventTriggered(event)
    }
}
#endif
