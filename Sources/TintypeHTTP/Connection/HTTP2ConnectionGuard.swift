import NIOCore
import NIOHPACK
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
/// The client also expects that a connection without streams stays as it is. ``HTTP2StreamLimit`` withholds what changes
/// such a connection, or has it closed.
///
/// Used on the event loop of its channel only.
final class HTTP2ConnectionGuard: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias InboundOut = HTTP2Frame

    /// Why this guard closed the connection; `nil` if it did not.
    private(set) var error: TintypeError?
    private let goAway: GoAwayWatch
    private var limit = HTTP2StreamLimit()
    /// Learns the event loop of the connection with its first request; `nil` after that.
    private var loops: HTTP2Loops?

    private init(_ goAway: GoAwayWatch, _ loops: HTTP2Loops?) {
        self.goAway = goAway
        self.loops = loops
    }

    /// Adds a guard around the HTTP/2 handler of a connection.
    static func add(to channel: any Channel, recordingTo loops: HTTP2Loops? = nil) throws {
        let pipeline = channel.pipeline.syncOperations
        let codec = try pipeline.handler(type: NIOHTTP2Handler.self)
        let goAway = GoAwayWatch()
        try pipeline.addHandler(goAway, position: .before(codec))
        try pipeline.addHandler(HTTP2ConnectionGuard(goAway, loops), position: .after(codec))
    }

    /// Returns the guard of the connection that carries a stream.
    static func guarding(_ stream: any Channel) -> HTTP2ConnectionGuard? {
        try? stream.parent?.pipeline.syncOperations.handler(type: HTTP2ConnectionGuard.self)
    }

    /// Records the event loop of the connection when its first request is sent.
    func sendHead(_ fields: HPACKHeaders, on stream: any Channel) {
        guard let loops, let connection = stream.parent, let authority = fields.first(name: ":authority") else {
            return
        }
        loops.record(connection, to: authority)
        self.loops = nil
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        let stream =
            switch event {
            case let event as StreamClosedEvent: event.streamID
            case let event as NIOHTTP2StreamCreatedEvent: event.streamID
            default: HTTP2StreamID.rootStream
            }
        guard Int(stream).isMultiple(of: 2), stream != .rootStream else { return forward(event, context) }
        close(context, "the server pushed a response that was not requested", nil)
    }

    /// Forwards an event, and counts the streams that it begins or ends.
    private func forward(_ event: Any, _ context: ChannelHandlerContext) {
        context.fireUserInboundEventTriggered(event)
        switch event {
        case is NIOHTTP2StreamCreatedEvent:
            limit.beginStream()
            // After the frame that began the stream has been written: the client may send another one at once.
            context.eventLoop.assumeIsolated().execute { self.deliverLimit(context) }
        case is StreamClosedEvent: perform(limit.endStream(), context)
        default: break
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data).payload {
        case .settings(.settings(let settings)): perform(limit.receive(settings), context)
        case .goAway:
            context.fireChannelRead(data)
            perform(limit.receiveGoAway(), context)
        default: context.fireChannelRead(data)
        }
    }

    private func perform(_ action: HTTP2StreamLimit.Action, _ context: ChannelHandlerContext) {
        switch action {
        case .none: break
        case .deliver(let settings):
            let frame = HTTP2Frame(streamID: .rootStream, payload: .settings(.settings(settings)))
            context.fireChannelRead(wrapInboundOut(frame))
        // As if the server had closed it: requests that reach the connection at this moment are sent again.
        case .close: context.channel.pipeline.abort()
        }
    }

    private func deliverLimit(_ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        perform(limit.takeHeld(), context)
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

/// Decides what the HTTP client learns about the number of streams that a server accepts on one connection.
///
/// The client starts an idle timer for each change on an idle connection, and ends the process in a debug build if one runs
/// already. A connection has no idle timer while a stream is open, so changes wait for the next stream. SwiftNIO respects the limit
/// meanwhile: it keeps requests beyond the limit, and acknowledges all settings. The first settings of a server are not seen
/// here. If they permit no streams, requests wait until the client gives up.
///
/// A pure struct: each method is an event, and returns the action to perform.
struct HTTP2StreamLimit: Sendable {
    /// The action to perform after an event.
    enum Action: Equatable {
        case none
        /// Passes a SETTINGS frame to the client.
        case deliver(HTTP2Settings)
        /// Closes the connection, which has no stream.
        case close
    }

    private var openCount = 0
    /// The last limit that the server has sent; `nil` if it is that of its first settings.
    private var limit: Int?
    /// Whether the client does not know ``limit``.
    private var isHeld = false

    /// Handles the settings of the server, other than the first ones.
    mutating func receive(_ settings: HTTP2Settings) -> Action {
        guard let newest = settings.last(where: { $0.parameter == .maxConcurrentStreams })?.value else {
            return .deliver(settings)
        }
        limit = newest
        guard openCount == 0 else {
            isHeld = false
            return .deliver(settings)
        }
        // Requests would wait for a change that the server may never send. It should close the connection itself instead
        // (RFC 9113, 6.5.2).
        guard newest > 0 else { return .close }
        isHeld = true
        let others = settings.filter { $0.parameter != .maxConcurrentStreams }
        return others.isEmpty ? .none : .deliver(others)
    }

    /// Handles GOAWAY: the server will accept no further streams (RFC 9113, 6.8). The client closes the connection when
    /// its last stream ends, but leaves a connection without streams open.
    func receiveGoAway() -> Action {
        openCount == 0 ? .close : .none
    }

    /// Counts a stream that was opened. Call ``takeHeld()`` soon after.
    mutating func beginStream() {
        openCount += 1
    }

    /// Counts a stream as ended.
    mutating func endStream() -> Action {
        openCount = max(0, openCount - 1)
        return openCount == 0 && limit == 0 ? .close : .none
    }

    /// Returns the settings that were withheld, if a stream is still open.
    mutating func takeHeld() -> Action {
        guard isHeld, openCount > 0, let limit else { return .none }
        isHeld = false
        return .deliver([HTTP2Setting(parameter: .maxConcurrentStreams, value: limit)])
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
