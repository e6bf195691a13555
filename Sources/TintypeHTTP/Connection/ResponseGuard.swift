import NIOCore
import NIOHPACK
import NIOHTTP1
import NIOHTTP2
import TintypeCore

/// Withholds response parts of an HTTP/1.1 connection that the HTTP client does not expect. ``ResponseOrder`` decides which.
///
/// The guard keeps the end of a response until everything that arrived with it has been decoded. The client sends the next
/// request as soon as it has the end, and would take what follows as the response to it. ``ResponseBoundary`` finds out
/// whether anything follows.
///
/// A server may respond before it has the request body. The guard keeps such a response until the body is being sent.
///
/// The guards of HTTP/1.1 and HTTP/2 are two types: the methods of a generic handler are never specialised, because NIO
/// calls them through a protocol.
///
/// Used on the event loop of its channel only.
final class ResponseGuard: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private var order = ResponseOrder()
    private var writing = HeadWriting()
    /// `nil` while the guard is not in a pipeline.
    private var context: ChannelHandlerContext?
    /// The end of a response that the client does not have yet.
    private var end: NIOAny?
    /// The parts of an early response, which wait for the request body.
    private var held: [NIOAny] = []
    /// The parts that were decoded since ``beginRead(byteCount:)``.
    private(set) var decoded = DecodedRead()
    /// The size of the response to the last request.
    private var size = ResponseSize()
    private var surplus = Surplus.none

    /// Whether bytes arrived that belong to no response.
    private enum Surplus {
        case none
        case found
        /// The client began another request after that, which was not sent.
        case foundBeforeRequest
    }

    /// Adds a guard directly behind the codec of a connection, and a ``ResponseBoundary`` before it.
    ///
    /// - Throws: The error of a pipeline without the codec.
    static func add(to channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        let codec = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
        let responses = ResponseGuard()
        try pipeline.addHandler(ResponseBoundary(responses), position: .before(codec))
        try pipeline.addHandler(responses, position: .after(codec))
    }

    // MARK: The request

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard surplus == .none else {
            surplus = .foundBeforeRequest
            promise?.fail(UnsentRequest())
            return
        }
        if case .head = unwrapOutboundIn(data) {
            order.sendHead()
            writing.begin()
            size = ResponseSize()
        } else {
            order.sendRest()
            // After the client has noted that the part was sent.
            if !held.isEmpty { context.eventLoop.assumeIsolated().execute { self.forwardHeld() } }
        }
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        guard writing.end() else { return }
        // After the client has noted that the head was sent.
        context.eventLoop.assumeIsolated().execute {
            if self.context != nil { context.fireChannelWritabilityChanged() }
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if writing.mayForwardChange() { context.fireChannelWritabilityChanged() }
    }

    // MARK: The response

    /// Forwards, withholds or rejects a part of a response. The decoder accepts any three digits as a status.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            guard perform(order.receiveHead(status: Int(head.status.code)), context) else { return }
            decoded.hasHead = true
            forward(data, context)
        case .body(let bytes):
            guard perform(order.receiveRest(isEnd: false), context) else { return }
            decoded.bodyByteCount += bytes.readableBytes
            size.bodyByteCount += bytes.readableBytes
            forward(data, context)
        case .end: if perform(order.receiveRest(isEnd: true), context) { end = data }
        }
    }

    /// Performs a decision.
    ///
    /// - Returns: Whether the part may reach the client.
    private func perform(_ decision: ResponseOrder.Decision, _ context: ChannelHandlerContext) -> Bool {
        switch decision {
        case .forward: return true
        case .drop: break
        case .reject where end != nil: endConnection()
        case .reject(let message):
            held = []
            context.fireErrorCaught(TintypeError(.transport, stage: .load, message))
        }
        return false
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        forwardEnd(context)
        context.fireChannelReadComplete()
    }

    /// An error behind the end of a response is not an error of that response.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if end != nil {
            endConnection()
        } else if surplus == .none {
            held = []
            context.fireErrorCaught(error)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if order.isEarly { (held, end) = ([], nil) }
        forwardHeld()
        forwardEnd(context)
        context.fireChannelInactive()
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    // MARK: Early responses

    /// The number of parts that are kept until the request body is sent, which takes a turn of another event loop.
    private static let maximumHeldCount = 64

    /// Forwards a part to the client, or keeps it while the response is early.
    private func forward(_ part: NIOAny, _ context: ChannelHandlerContext) {
        guard order.isEarly || !held.isEmpty else { return context.fireChannelRead(part) }
        guard held.count < Self.maximumHeldCount else {
            _ = perform(order.rejectEarly(), context)
            return
        }
        held.append(part)
    }

    /// Forwards the parts that were kept.
    private func forwardHeld() {
        guard let context, !held.isEmpty else { return }
        let parts = held
        held = []
        for part in parts { context.fireChannelRead(part) }
        context.fireChannelReadComplete()
    }

    // MARK: The boundary between responses

    /// Whether bytes that arrive now can belong to a response.
    var expectsBytes: Bool { !order.isIdle && surplus == .none }

    /// Whether a response ended since ``beginRead(byteCount:)``.
    var hasEnd: Bool { end != nil }

    /// Resets the counts of a read, and counts its bytes, before they are decoded.
    func beginRead(byteCount: Int) {
        decoded = DecodedRead()
        size.wireByteCount += byteCount
    }

    /// Rejects a response of which too little is a body. Call it when the bytes that arrived have been decoded.
    func checkFraming() {
        guard size.isMostlyFraming, surplus == .none, let context else { return }
        _ = perform(order.reject("the server sent far more framing than body"), context)
    }

    /// Closes the connection, because bytes arrived that belong to no response. A response that is complete stays so.
    func endConnection() {
        guard let context, surplus == .none else { return }
        surplus = .found
        forwardEnd(context)
        if surplus == .foundBeforeRequest { context.fireErrorCaught(UnsentRequest()) }
        context.channel.pipeline.abort()
    }

    private func forwardEnd(_ context: ChannelHandlerContext) {
        guard let end else { return }
        self.end = nil
        forward(end, context)
    }
}

/// The error of a request that was not sent, because its connection is about to be closed.
struct UnsentRequest: Error, CustomStringConvertible {
    var description: String { "the server sent extra bytes after the response to the previous request" }
}

/// Withholds frames of an HTTP/2 stream that the HTTP client does not expect. ``ResponseOrder`` decides which.
///
/// It stands before the codec that turns frames into parts, which converts the status without a check.
///
/// Used on the event loop of its channel only.
final class StreamGuard: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload
    typealias OutboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private var order = ResponseOrder()
    private var writing = HeadWriting()
    private var isRemoved = false
    private let connection: HTTP2ConnectionGuard?

    /// - Parameter connection: The guard of the connection that carries the stream.
    init(connection: HTTP2ConnectionGuard?) {
        self.connection = connection
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .headers(let headers) = unwrapOutboundIn(data) {
            order.sendHead()
            if headers.endStream { order.sendRest() } else { writing.begin() }
            connection?.sendHead(headers.headers, on: context.channel)
        } else {
            order.sendRest()
        }
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        guard writing.end() else { return }
        // After the client has noted that the head was sent.
        context.eventLoop.assumeIsolated().execute {
            if !self.isRemoved { context.fireChannelWritabilityChanged() }
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if writing.mayForwardChange() { context.fireChannelWritabilityChanged() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch decision(on: unwrapInboundIn(data)) {
        case .forward: context.fireChannelRead(data)
        case .drop: break
        case .reject(let message): context.fireErrorCaught(TintypeError(.transport, stage: .load, message))
        }
    }

    private func decision(on payload: HTTP2Frame.FramePayload) -> ResponseOrder.Decision {
        switch payload {
        // Trailers have no status (RFC 9113, 8.1).
        case .headers(let block):
            guard let status = block.headers.first(name: ":status") else { return order.receiveRest(isEnd: true) }
            let decision = order.receiveHead(status: status)
            // The client sends the body in the same turn of the event loop (``HTTP2Loops``).
            if order.isEarly { return order.rejectEarly() }
            guard decision == .drop, block.endStream else { return decision }
            return order.reject("the response ended with an informational head")
        case .data: return order.receiveRest(isEnd: false)
        default: return .forward
        }
    }

    /// Reports why the connection was closed. The client would report only that it was closed.
    func channelInactive(context: ChannelHandlerContext) {
        if let error = connection?.error { context.fireErrorCaught(error) }
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        isRemoved = true
    }
}

/// Delays changes of writability while a request head is written.
///
/// A head larger than the buffer of the socket makes the channel unwritable, and writable again, within one flush. The
/// client would begin the body in the middle of the head, and end the process if the request belongs to another event loop
/// than the connection.
private struct HeadWriting {
    private var isWriting = false
    private var hasChanged = false

    /// Notes that a request head is being written, and that more of the request follows.
    mutating func begin() {
        isWriting = true
    }

    /// Records a change of the channel's writability. Returns whether the client may be notified now.
    mutating func mayForwardChange() -> Bool {
        hasChanged = isWriting
        return !isWriting
    }

    /// Notes that the head has been flushed. Returns whether the client has missed a change.
    mutating func end() -> Bool {
        defer { (isWriting, hasChanged) = (false, false) }
        return hasChanged
    }
}
