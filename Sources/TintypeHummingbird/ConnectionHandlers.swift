#if Server
import HTTPTypes
import NIOCore
import NIOHTTPTypes
import TintypeServer

/// The handlers of each connection that Hummingbird does not have.
enum ConnectionHandlers {
    /// Returns new handlers, in the order of the pipeline.
    ///
    /// - Parameter connections: Receives the connection for as long as it is open.
    static func all(
        _ listening: ServerSettings.Listening, _ connections: ClientConnections
    ) -> [any RemovableChannelHandler] {
        [
            ClosedConnectionHandler(connections),
            SlowClientHandler(readLimit: listening.readTimeout, writeLimit: listening.writeTimeout),
            OriginDateHandler(),
        ]
    }
}

/// Restores the `Date` of a response that is passed through: a cache must not change it (RFC 9110, 6.6.1), but
/// Hummingbird writes its own into every response.
final class OriginDateHandler: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The field in which the responder hands the date over. It never leaves the process.
    static let name = HTTPField.Name("Tintype-Origin-Date") ?? .date

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data), let date = head.headerFields[Self.name] else {
            return context.write(data, promise: promise)
        }
        head.headerFields[Self.name] = nil
        head.headerFields[.date] = date
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }
}
#endif
