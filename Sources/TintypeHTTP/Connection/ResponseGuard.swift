import NIOCore
import NIOHPACK
import NIOHTTP1
import NIOHTTP2
import TintypeCore

/// Keeps parts of responses from the HTTP client that it does not expect, as ``ResponseOrder`` decides.
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
    private var isRemoved = false

    /// - Parameter connection: The guard of the connection that carries the stream; `nil` for HTTP/1.1.
    init(connection: HTTP2ConnectionGuard? = nil) {
        self.connection = connection
    }

    // MARK: The request

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
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
            if !self.isRemoved { context.fireChannelWritabilityChanged() }
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
        switch Wire.decision(on: unwrapInboundIn(data), &order) {
        case .forward: context.fireChannelRead(data)
        case .drop: break
        case .reject(let message): context.fireErrorCaught(TintypeError(.transport, stage: .load, message))
        }
    }

    /// The client would report only that the connection was closed, and not why.
    func channelInactive(context: ChannelHandlerContext) {
        if let error = connection?.error { context.fireErrorCaught(error) }
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        isRemoved = true
    }
}

/// The form of requests and responses at the position of a ``ResponseGuard``.
protocol GuardedWire {
    associatedtype Inbound
    associatedtype Outbound

    /// Returns which part of a request is sent.
    static func event(sending part: Outbound) -> SentPart
    /// Decides on a part of a response.
    static func decision(on part: Inbound, _ order: inout ResponseOrder) -> ResponseOrder.Decision
}

/// The part of a request that a message carries.
enum SentPart {
    case head, headAndEnd, rest
}

/// HTTP/1.1, after the decoder. The decoder accepts any three digits as a status.
enum HTTP1Wire: GuardedWire {
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
}

/// A stream of HTTP/2, before the codec that turns frames into parts: it converts the status without a check.
enum HTTP2Wire: GuardedWire {
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
}
