import NIOCore
import NIOHTTP2
import NIOSSL
import TintypeCore

/// Closes an HTTP/2 connection that can no longer be used, and stores the reason for its streams.
///
/// NIO reports a violation and sends GOAWAY, but keeps the connection. The requests would fail when their idle timeout
/// ends. Pushed streams are a violation too, because the client disables push. NIO accepts them until the server has
/// acknowledged that setting. The client counts the end of a pushed stream as the end of a request, and then ends the
/// process.
///
/// Used on the event loop of its channel only.
final class HTTP2ConnectionGuard: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame

    /// Why this guard closed the connection; `nil` if it did not.
    private(set) var error: TintypeError?
    private let goAway: GoAwayWatch

    private init(_ goAway: GoAwayWatch) {
        self.goAway = goAway
    }

    /// Adds a guard around the HTTP/2 handler of a connection.
    static func add(to channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        let codec = try pipeline.handler(type: NIOHTTP2Handler.self)
        let goAway = GoAwayWatch()
        try pipeline.addHandler(goAway, position: .before(codec))
        try pipeline.addHandler(HTTP2ConnectionGuard(goAway), position: .after(codec))
    }

    /// Returns the guard of the connection that carries a stream.
    static func guarding(_ stream: any Channel) -> HTTP2ConnectionGuard? {
        try? stream.parent?.pipeline.syncOperations.handler(type: HTTP2ConnectionGuard.self)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        let stream =
            switch event {
            case let event as StreamClosedEvent: event.streamID
            case let event as NIOHTTP2StreamCreatedEvent: event.streamID
            default: HTTP2StreamID.rootStream
            }
        guard Int(stream).isMultiple(of: 2), stream != .rootStream else {
            return context.fireUserInboundEventTriggered(event)
        }
        close(context, "the server pushed a response that was not requested", nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if goAway.wasSent {
            close(context, "the server violates HTTP/2: \(error)", error)
        } else if error is NIOHTTP2Errors.UnableToSerializeFrame {
            // The compression state of the two sides differs from now on (RFC 9113, 4.3).
            close(context, "a request head is larger than a frame of the server may be", error)
        } else {
            context.fireErrorCaught(error)
        }
    }

    private func close(_ context: ChannelHandlerContext, _ message: String, _ underlying: (any Error)?) {
        guard error == nil else { return }
        error = TintypeError(.transport, stage: .load, message, underlying: underlying)
        context.channel.pipeline.abort()
    }
}

extension ChannelPipeline {
    /// Closes the channel at once. TLS would first wait for the server to confirm that nothing follows.
    ///
    /// Call it on the event loop of the channel.
    func abort() {
        if let tls = try? syncOperations.context(handlerType: NIOSSLClientHandler.self) {
            tls.close(promise: nil)
        } else {
            close(promise: nil)
        }
    }
}

/// Notices that NIO sends GOAWAY, which tells errors of a connection from errors of a stream.
///
/// Used on the event loop of its channel only.
private final class GoAwayWatch: ChannelOutboundHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private(set) var wasSent = false

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .byteBuffer(let frame) = unwrapOutboundIn(data), Self.isGoAway(frame) { wasSent = true }
        context.write(data, promise: promise)
    }

    /// Whether a buffer is one frame of the type 7 (RFC 9113, 4.1 and 6.8). The payload of a DATA frame is a buffer of
    /// its own.
    private static func isGoAway(_ frame: ByteBuffer) -> Bool {
        guard let word: UInt32 = frame.getInteger(at: frame.readerIndex) else { return false }
        return word & 0xFF == 7 && Int(word >> 8) + 9 == frame.readableBytes
    }
}
