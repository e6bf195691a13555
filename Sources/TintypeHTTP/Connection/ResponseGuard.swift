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
/// A server may respond before it has the request body. The client accepts that, because it has been told to send the body
/// when the head has been sent: ``Writability`` never lets it wait for that. But the guard keeps the end of such a response
/// until the end of the request is sent. The client would wait for both on two event loops, and end the process if the
/// connection is closed meanwhile.
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
    private var writability = Writability()
    /// `nil` while the guard is not in a pipeline.
    private var context: ChannelHandlerContext?
    /// The end of a response that the client does not have yet.
    private var end: NIOAny?
    /// The promise of the client for the end of the last request.
    private var requestEnd: EventLoopPromise<Void>?
    /// The parts that were decoded since ``beginRead(byteCount:)``.
    private(set) var decoded = DecodedRead()
    /// The size of the response to the last request.
    private var size = ResponseSize()
    private var closing = Closing.none

    /// Whether the guard closes the connection.
    private enum Closing {
        case none
        /// After all requests of the client have been sent.
        case betweenRequests
        /// After the client has begun another request, which is not sent.
        case beforeRequest
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
        guard closing == .none else {
            closing = .beforeRequest
            // After the error of ``endConnection()``. The client would close the connection, and report only that.
            context.eventLoop.execute { promise?.fail(UnsentRequest()) }
            return
        }
        switch unwrapOutboundIn(data) {
        case .head:
            order.sendHead()
            writability.beginHead()
            size = ResponseSize()
        case .body: break
        case .end:
            order.sendEnd()
            requestEnd = promise
            // After the client has noted that the end was sent.
            if end != nil { context.eventLoop.assumeIsolated().execute { self.endResponse() } }
        }
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        guard writability.endHead() else { return }
        // After the client has noted that the head was sent.
        context.eventLoop.assumeIsolated().execute {
            if self.context != nil { self.channelWritabilityChanged(context: context) }
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if writability.forwards(context.channel.isWritable) { context.fireChannelWritabilityChanged() }
    }

    // MARK: The response

    /// Forwards, withholds or rejects a part of a response. The decoder accepts any three digits as a status.
    ///
    /// If a write fails, SwiftNIO delivers what has arrived before the write returns, and then closes the connection. The
    /// client has not noted yet that it has sent a head, and would forget to end the request of such a response.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !writability.isSendingHead else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            guard perform(order.receiveHead(status: Int(head.status.code)), context) else { return }
            decoded.hasHead = true
            context.fireChannelRead(data)
        case .body(let bytes):
            guard perform(order.receiveRest(isEnd: false), context) else { return }
            decoded.bodyByteCount += bytes.readableBytes
            size.bodyByteCount += bytes.readableBytes
            context.fireChannelRead(data)
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
        case .reject(let message): context.fireErrorCaught(TintypeError(.transport, stage: .load, message))
        }
        return false
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        endResponse()
        context.fireChannelReadComplete()
    }

    /// Forwards the end of a response whose request was sent. Closes the connection if the server has not read the request: it
    /// may never do that, and the next request would wait for it.
    private func endResponse() {
        guard let context, end != nil else { return }
        guard !context.channel.isWritable, order.hasSentRequest else { return forwardEnd(context) }
        // The client would take the write that fails for a failure of the response.
        requestEnd?.succeed(())
        endConnection(as: .beforeRequest)
    }

    /// An error behind the end of a response is not an error of that response.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if end != nil {
            endConnection()
        } else if closing == .none {
            context.fireErrorCaught(error)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        forwardEnd(context)
        context.fireChannelInactive()
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    // MARK: The boundary between responses

    /// Whether bytes that arrive now can belong to a response.
    var expectsBytes: Bool { !order.isIdle && closing == .none }

    /// Whether the end of a response was decoded that the client does not have yet.
    var hasEnd: Bool { end != nil }

    /// Resets the counts of a read, and counts its bytes, before they are decoded.
    func beginRead(byteCount: Int) {
        decoded = DecodedRead()
        size.wireByteCount += byteCount
    }

    /// Rejects a response of which too little is a body. Call it when the bytes that arrived have been decoded.
    func checkFraming() {
        guard size.isMostlyFraming, closing == .none, let context else { return }
        _ = perform(order.reject("the server sent far more framing than body"), context)
    }

    /// Closes the connection, because bytes arrived that belong to no response. A response that is complete stays so.
    func endConnection() { endConnection(as: .betweenRequests) }

    private func endConnection(as state: Closing) {
        guard let context, closing == .none else { return }
        closing = state
        forwardEnd(context)
        if closing == .beforeRequest { context.fireErrorCaught(UnsentRequest()) }
        context.channel.pipeline.abort()
    }

    private func forwardEnd(_ context: ChannelHandlerContext) {
        guard let end, !order.isEarly else { return }
        self.end = nil
        context.fireChannelRead(end)
    }
}

/// The error of a request that was not sent, because its connection is about to be closed.
struct UnsentRequest: Error, CustomStringConvertible {
    var description: String { "the server did not keep the connection of the previous request usable" }
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
    private var writability = Writability()
    private var isRemoved = false
    private let connection: HTTP2ConnectionGuard?

    /// - Parameter connection: The guard of the connection that carries the stream.
    init(connection: HTTP2ConnectionGuard?) {
        self.connection = connection
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let payload = unwrapOutboundIn(data)
        if case .headers(let headers) = payload {
            order.sendHead()
            if headers.endStream { order.sendEnd() }
            writability.beginHead()
            connection?.sendHead(headers.headers, on: context.channel)
        } else if payload.endsStream {
            order.sendEnd()
        }
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        guard writability.endHead() else { return }
        // After the client has noted that the head was sent.
        context.eventLoop.assumeIsolated().execute {
            if !self.isRemoved { self.channelWritabilityChanged(context: context) }
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if writability.forwards(context.channel.isWritable) { context.fireChannelWritabilityChanged() }
    }

    /// Forwards, withholds or rejects a frame. As with ``ResponseGuard``, a frame may be delivered while a head is being
    /// sent. The client would end the process for a response.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !writability.isSendingHead else { return }
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
            // The client sends the body in the same turn of the event loop (``HTTP2Loops``). It would forget a request whose
            // response ends first, and end the process when the connection is closed.
            if order.isEarly { return order.reject("the server responded before it received the request") }
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

/// Decides which changes of a channel's writability the client learns.
///
/// A head larger than the buffer of the socket makes the channel unwritable, and writable again, within one flush. The
/// client would begin the body in the middle of the head, and end the process if the request belongs to another event loop
/// than the connection. So changes wait until the head has been sent. A change that the client knows already could end the
/// process, too, if the client of a program has a timeout for writing.
private struct Writability {
    /// Whether a head was written that has not been flushed.
    private(set) var isSendingHead = false
    private var hasChangedMeanwhile = false
    /// What the client knows; `nil` before the first request.
    private var known: Bool?

    /// Notes that a request head is being sent. The client sends a head only if the channel is writable.
    mutating func beginHead() {
        (isSendingHead, known) = (true, true)
    }

    /// Returns whether the client may learn now that the channel is writable, or that it is not.
    mutating func forwards(_ isWritable: Bool) -> Bool {
        hasChangedMeanwhile = isSendingHead
        guard !isSendingHead, known != isWritable else { return false }
        known = isWritable
        return true
    }

    /// Notes that the head has been flushed. Returns whether the client may have missed a change.
    mutating func endHead() -> Bool {
        defer { (isSendingHead, hasChangedMeanwhile) = (false, false) }
        return hasChangedMeanwhile
    }
}

extension HTTP2Frame.FramePayload {
    /// Whether it is the last payload of its sender.
    fileprivate var endsStream: Bool {
        switch self {
        case .headers(let block): block.endStream
        case .data(let data): data.endStream
        default: false
        }
    }
}
