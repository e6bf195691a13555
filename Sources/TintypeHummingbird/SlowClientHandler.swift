#if Server
import NIOCore
import NIOHTTPTypes
import TintypeCore

/// Closes the connection of a client that sends its request, or reads its response, too slowly: ``ConnectionPace`` on
/// the event loop of the connection, with one timer.
final class SlowClientHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The number of bytes that are written at once. Of a larger part, nothing would be known until all of it was read.
    private static let pieceByteCount = 64 << 10

    private var pace: ConnectionPace
    private var timer: Scheduled<Void>?
    /// `nil` before the handler was added, and after it was removed.
    private var context: ChannelHandlerContext?

    /// Creates the handler of a new connection.
    init(readLimit: Duration, writeLimit: Duration) {
        pace = ConnectionPace(readLimit: readLimit, writeLimit: writeLimit)
    }

    private static var now: Duration { TimeSource.system.uptime() }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        // In front of the decoder, which reports a head only when it is complete.
        let bytes = ArrivalHandler { [weak self] in self?.received() }
        try? context.pipeline.syncOperations.addHandler(bytes, position: .first)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        timer?.cancel()
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        self.context = nil
        context.fireChannelInactive()
    }

    private func received() {
        pace.received(at: Self.now)
        schedule()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .end = unwrapInboundIn(data) { pace.requestEnded() }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .body(var buffer) = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        while buffer.readableBytes > Self.pieceByteCount, let piece = buffer.readSlice(length: Self.pieceByteCount) {
            writePiece(piece, nil, context)
        }
        writePiece(buffer, promise, context)
    }

    private func writePiece(_ piece: ByteBuffer, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext) {
        pace.wrote(at: Self.now)
        schedule()
        let promise = promise ?? context.eventLoop.makePromise(of: Void.self)
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        promise.futureResult.whenComplete { _ in handler.value.pace.sent(at: Self.now) }
        context.write(wrapOutboundOut(.body(piece)), promise: promise)
    }

    /// Sets the timer, unless it is set. It may ring early, because progress moves the deadline only when it rings.
    private func schedule() {
        guard timer == nil, let context, let deadline = pace.deadline else { return }
        let delay = TimeAmount.nanoseconds(Int64(max(.zero, deadline - Self.now) / .nanoseconds(1)))
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: delay) { handler.value.ring() }
    }

    private func ring() {
        timer = nil
        if pace.isExceeded(at: Self.now) { context?.close(promise: nil) } else { schedule() }
    }
}

/// Tells that bytes arrive.
private final class ArrivalHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let arrived: () -> Void

    init(_ arrived: @escaping () -> Void) {
        self.arrived = arrived
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        arrived()
        context.fireChannelRead(data)
    }
}
#endif
