public import Foundation
package import NIOCore
import NIOPosix
import NIOSSL

/// An HTTP/2 server for tests, over TLS on 127.0.0.1, that sends exactly the frames that a test specifies.
///
/// It reads only as much of the client's frames as it needs to count requests and to acknowledge settings. You can call
/// every method from any thread.
///
///     let origin = try await FrameOrigin.start(identity) { _ in [.headers([(":status", "000")], endStream: true)] }
public final class FrameOrigin: Sendable {
    /// The frames with which the origin answers a request.
    ///
    /// - Parameter number: The number of earlier requests.
    public typealias Answer = @Sendable (_ number: Int) -> [OriginFrame]

    /// The URL of the origin without a trailing slash.
    public let baseURL: URL

    private let listener: any Channel
    private let record: Watched<Record>

    struct Record: Sendable {
        var requests = 0
        var connections: [ObjectIdentifier: any Channel] = [:]
        var connectionCount = 0
    }

    private init(_ listener: any Channel, _ record: Watched<Record>) throws {
        guard let port = listener.localAddress?.port, let url = URL(string: "https://127.0.0.1:\(port)") else {
            throw ChannelError.unknownLocalAddress
        }
        baseURL = url
        self.listener = listener
        self.record = record
    }

    /// Starts an origin on a free port.
    ///
    /// - Parameters:
    ///   - identity: The certificate for TLS.
    ///   - opening: Returns the frames at the start of each connection. The first one must be SETTINGS in a correct
    ///     connection.
    ///   - answer: Returns the frames that answer a request, when its last frame has arrived. Both closures run on an
    ///     event loop, which they must not block.
    /// - Throws: An error if the certificate is invalid or no port is available.
    public static func start(
        _ identity: OriginIdentity, opening: @escaping @Sendable () -> [OriginFrame] = { [.settings()] },
        answer: @escaping Answer
    ) async throws -> FrameOrigin {
        try await start(
            identity, on: .singletonMultiThreadedEventLoopGroup, opening: opening, answersHeads: false, answer: answer)
    }

    /// Starts an origin on some event loops.
    ///
    /// - Parameter answersHeads: Whether a request is answered when its head has arrived.
    package static func start(
        _ identity: OriginIdentity, on group: any EventLoopGroup,
        opening: @escaping @Sendable () -> [OriginFrame] = { [.settings()] }, answersHeads: Bool,
        answer: @escaping Answer
    ) async throws -> FrameOrigin {
        let context = try identity.context(protocols: ["h2"])
        let record = Watched(Record())
        let listener = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([
                        NIOSSLServerHandler(context: context), FrameConnection(opening, record, answersHeads, answer),
                    ])
                }
            }
            .bindToNewPort()
        return try FrameOrigin(listener, record)
    }

    /// Closes the listener and all connections, and returns when they are closed.
    public func stop() async {
        try? await listener.close()
        await closeConnections()
    }

    /// Closes all connections at once, without a TLS closing alert, and returns when they are closed.
    public func closeConnections() async {
        let channels = Array(record.value.connections.values)
        for channel in channels { channel.pipeline.fireUserInboundEventTriggered(FrameConnection.Abort()) }
        for channel in channels { try? await channel.closeFuture.get() }
    }

    /// Returns the URL of a path at this origin.
    public func url(_ path: String) -> URL { baseURL.appending(path: path) }

    /// The number of requests so far.
    public var requestCount: Int { record.value.requests }

    /// The number of connections so far.
    public var connectionCount: Int { record.value.connectionCount }

    /// Waits until `count` requests have arrived since the start, or until the task is cancelled.
    public func waitForRequests(_ count: Int) async { await record.wait { $0.requests >= count } }

    /// Waits until the client has closed all connections, or until the task is cancelled.
    public func waitForNoConnections() async { await record.wait { $0.connections.isEmpty } }
}

/// One connection of a ``FrameOrigin``.
private final class FrameConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// The first bytes of a client (RFC 9113, 3.4).
    private static let prefaceLength = 24
    private static let headerLength = 9

    /// Asks the connection to close without a TLS closing alert, which the client would have to confirm.
    struct Abort: Sendable {}

    private let opening: @Sendable () -> [OriginFrame]
    private let record: Watched<FrameOrigin.Record>
    private let answersHeads: Bool
    private let answer: FrameOrigin.Answer
    private var input = ByteBuffer()
    private var hasPreface = false

    init(
        _ opening: @escaping @Sendable () -> [OriginFrame], _ record: Watched<FrameOrigin.Record>,
        _ answersHeads: Bool, _ answer: @escaping FrameOrigin.Answer
    ) {
        self.opening = opening
        self.record = record
        self.answersHeads = answersHeads
        self.answer = answer
    }

    func channelActive(context: ChannelHandlerContext) {
        let channel = context.channel
        record.update { record in
            record.connections[ObjectIdentifier(channel)] = channel
            record.connectionCount += 1
        }
        send(opening(), for: 0, context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        let channel = context.channel
        record.update { $0.connections[ObjectIdentifier(channel)] = nil }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        input.writeBuffer(&bytes)
        if !hasPreface { hasPreface = input.readSlice(length: Self.prefaceLength) != nil }
        while hasPreface, readFrame(context) {}
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is Abort else { return }
        let tls = try? context.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
        (tls ?? context).close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    /// Reads and answers the next frame.
    ///
    /// - Returns: Whether a whole frame had arrived.
    private func readFrame(_ context: ChannelHandlerContext) -> Bool {
        guard let word: UInt32 = input.getInteger(at: input.readerIndex),
            input.readableBytes >= Self.headerLength + Int(word >> 8),
            let (_, flags, stream) = input.readMultipleIntegers(as: (UInt32, UInt8, UInt32).self)
        else { return false }
        input.moveReaderIndex(forwardBy: Int(word >> 8))
        let ends = flags & OriginFrame.Flag.endStream != 0
        switch word & 0xFF {
        case 0 where ends && !answersHeads, 1 where ends || answersHeads: answerRequest(stream, context)
        case 4 where flags & OriginFrame.Flag.acknowledge == 0:
            send([OriginFrame(type: 4, flags: OriginFrame.Flag.acknowledge, stream: 0)], for: 0, context)
        default: break
        }
        return true
    }

    private func answerRequest(_ stream: UInt32, _ context: ChannelHandlerContext) {
        let number = record.update { record in
            record.requests += 1
            return record.requests - 1
        }
        send(answer(number), for: stream, context)
    }

    /// Sends frames in one piece, so that the client reads them together.
    private func send(_ frames: [OriginFrame], for stream: UInt32, _ context: ChannelHandlerContext) {
        var wire = Data()
        var closes = false
        for frame in frames {
            if let bytes = frame.wire(for: stream) { wire += bytes } else { closes = true }
        }
        if !wire.isEmpty { context.writeAndFlush(NIOAny(ByteBuffer(bytes: wire)), promise: nil) }
        if closes { context.close(promise: nil) }
    }
}
