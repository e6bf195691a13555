import NIOCore
import NIOHPACK
import NIOHTTP1
import NIOHTTP2
import TintypeCore

/// Withholds response parts that the HTTP client does not expect. ``ResponseOrder`` decides which.
///
/// Over HTTP/1.1, the guard keeps the end of a response until everything that arrived with it has been decoded. The
/// client sends the next request as soon as it has the end, and would take what follows as the response to it.
/// ``ResponseBoundary`` finds out whether anything follows.
///
/// The guard also delays changes of writability while a request head is written. A head larger than the buffer of the
/// socket makes the channel unwritable, and writable again, within one flush. The client would begin the body in the
/// middle of the head, and end the process if the request belongs to another event loop than the connection.
///
/// Used on the event loop of its channel only.
final class ResponseGuard<Wire: GuardedWire>: ChannelDuplexHandler {
    typealias InboundIn = Wire.Inbound
    typealias InboundOut = Wire.Inbound
    typealias OutboundIn = Wire.Outbound
    typealias OutboundOut = Wire.Outbound

    private var order = ResponseOrder()
    private let connection: HTTP2ConnectionGuard?
    private var isSendingHead = false
    private var missesWritability = false
    /// `nil` before the guard is in a pipeline, and after that.
    private var context: ChannelHandlerContext?
    /// The end of a response that the client does not have yet.
    private var end: NIOAny?
    /// The parts that were decoded since ``beginRead()``.
    private(set) var decoded = DecodedRead()
    private var surplus = Surplus.none

    /// Whether bytes arrived that belong to no response.
    private enum Surplus {
        case none
        case found
        /// The client began another request after that, which was not sent.
        case foundBeforeRequest
    }

    /// - Parameter connection: The guard of the connection that carries the stream; `nil` for HTTP/1.1.
    init(connection: HTTP2ConnectionGuard? = nil) {
        self.connection = connection
    }

    // MARK: The request

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard surplus == .none else {
            surplus = .foundBeforeRequest
            promise?.fail(UnsentRequest())
            return
        }
        switch Wire.event(sending: unwrapOutboundIn(data)) {
        case .head:
            order.sendHead()
            isSendingHead = true
        case .headAndEnd:
            order.sendHead()
            order.sendRest()
        case .rest: order.sendRest()
        }
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        guard isSendingHead else { return }
        isSendingHead = false
        guard missesWritability else { return }
        missesWritability = false
        // After the client has noted that the head was sent.
        context.eventLoop.assumeIsolated().execute {
            if self.context != nil { context.fireChannelWritabilityChanged() }
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if isSendingHead {
            missesWritability = true
        } else {
            context.fireChannelWritabilityChanged()
        }
    }

    // MARK: The response

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        switch Wire.decision(on: part, &order) {
        case .forward where Wire.isReused && order.isIdle: end = data
        case .forward:
            if Wire.isReused { Wire.count(part, in: &decoded) }
            context.fireChannelRead(data)
        case .drop: break
        case .reject where end != nil: endConnection()
        case .reject(let message): context.fireErrorCaught(TintypeError(.transport, stage: .load, message))
        }
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
            context.fireErrorCaught(error)
        }
    }

    /// The client would report only that the connection was closed, and not why.
    func channelInactive(context: ChannelHandlerContext) {
        forwardEnd(context)
        if let error = connection?.error { context.fireErrorCaught(error) }
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
    var expectsBytes: Bool { !order.isIdle && surplus == .none }

    /// Whether a response ended since ``beginRead()``.
    var hasEnd: Bool { end != nil }

    /// Bytes are about to be decoded.
    func beginRead() {
        decoded = DecodedRead()
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
        context.fireChannelRead(end)
    }
}

extension ResponseGuard<HTTP1Wire> {
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
}

/// A request was not sent, because its connection is about to be closed.
struct UnsentRequest: Error, CustomStringConvertible {
    var description: String { "the server sent more than the response to the request before" }
}

/// The form of requests and responses at the position of a ``ResponseGuard``.
protocol GuardedWire {
    associatedtype Inbound
    associatedtype Outbound

    /// Whether one request follows another on the channel of the guard.
    static var isReused: Bool { get }

    /// Returns which part of a request is sent.
    static func event(sending part: Outbound) -> SentPart
    /// Decides on a part of a response.
    static func decision(on part: Inbound, _ order: inout ResponseOrder) -> ResponseOrder.Decision
    /// Counts a part of a response in what was decoded.
    static func count(_ part: Inbound, in decoded: inout DecodedRead)
}

/// The part of a request that a message carries.
enum SentPart {
    case head, headAndEnd, rest
}

/// HTTP/1.1, after the decoder. The decoder accepts any three digits as a status.
enum HTTP1Wire: GuardedWire {
    static let isReused = true

    static func event(sending part: HTTPClientRequestPart) -> SentPart {
        if case .head = part { .head } else { .rest }
    }

    static func decision(on part: HTTPClientResponsePart, _ order: inout ResponseOrder) -> ResponseOrder.Decision {
        switch part {
        case .head(let head): order.receiveHead(status: Int(head.status.code))
        case .body: order.receiveRest(isEnd: false)
        case .end: order.receiveRest(isEnd: true)
        }
    }

    static func count(_ part: HTTPClientResponsePart, in decoded: inout DecodedRead) {
        switch part {
        case .head: decoded.hasHead = true
        case .body(let bytes): decoded.bodyByteCount += bytes.readableBytes
        case .end: break
        }
    }
}

/// A stream of HTTP/2, before the codec that turns frames into parts: it converts the status without a check.
enum HTTP2Wire: GuardedWire {
    static let isReused = false

    static func event(sending payload: HTTP2Frame.FramePayload) -> SentPart {
        guard case .headers(let headers) = payload else { return .rest }
        return headers.endStream ? .headAndEnd : .head
    }

    static func decision(
        on payload: HTTP2Frame.FramePayload, _ order: inout ResponseOrder
    ) -> ResponseOrder.Decision {
        switch payload {
        // Trailers have no status (RFC 9113, 8.1).
        case .headers(let block):
            guard let status = block.headers.first(name: ":status") else { return order.receiveRest(isEnd: true) }
            let decision = order.receiveHead(status: status)
            guard decision == .drop, block.endStream else { return decision }
            return order.reject("the response ended with an informational head")
        case .data: return order.receiveRest(isEnd: false)
        default: return .forward
        }
    }

    static func count(_ payload: HTTP2Frame.FramePayload, in decoded: inout DecodedRead) {}
}
