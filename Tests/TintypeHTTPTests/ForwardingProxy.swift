import NIOCore
import NIOPosix
import TintypeTesting

/// A proxy that connects to the targets that clients ask for, and forwards bytes in both directions.
final class ForwardingProxy: Sendable {
    private let listener: any Channel
    private let asked: Shared<[String]>

    private init(_ listener: any Channel, _ asked: Shared<[String]>) {
        self.listener = listener
        self.asked = asked
    }

    /// The requests of clients: the heads of `CONNECT` requests, or the addresses and ports of SOCKS requests.
    var requests: [String] { asked.now }
    var port: Int { listener.localAddress?.port ?? 0 }

    /// Starts a proxy.
    ///
    /// - Parameter makeProtocol: Returns what reads the requests of one connection.
    static func start(_ makeProtocol: @escaping @Sendable () -> any ProxyProtocol) async throws -> ForwardingProxy {
        let asked = Shared<[String]>([])
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(RequestHandler(makeProtocol(), asked))
                }
            }
            .bindToNewPort()
        return ForwardingProxy(listener, asked)
    }

    func stop() async {
        try? await listener.close()
    }

    /// Reads the request, connects, and forwards everything that follows.
    private final class RequestHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private var proxyProtocol: any ProxyProtocol
        private let asked: Shared<[String]>
        private var received = ByteBuffer()
        private var other: (any Channel)?

        init(_ proxyProtocol: any ProxyProtocol, _ asked: Shared<[String]>) {
            self.proxyProtocol = proxyProtocol
            self.asked = asked
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var bytes = unwrapInboundIn(data)
            if let other { return other.writeAndFlush(bytes, promise: nil) }
            received.writeBuffer(&bytes)
            let step = proxyProtocol.read(&received)
            if let answer = step.answer { context.channel.writeAndFlush(answer, promise: nil) }
            guard let request = step.request else { return }
            asked.withLock { $0.append(request.text) }
            connect(to: request, context)
        }

        private func connect(to request: ProxyRequest, _ context: ChannelHandlerContext) {
            let (channel, confirmation) = (context.channel, proxyProtocol.confirmation)
            let this = NIOLoopBound(self, eventLoop: context.eventLoop)
            let connected = ClientBootstrap(group: context.eventLoop)
                .connectTimeout(.hours(1))
                .channelInitializer { other in
                    other.eventLoop.makeCompletedFuture {
                        try other.pipeline.syncOperations.addHandler(ForwardingHandler(to: channel))
                    }
                }
                .connect(host: request.host, port: request.port)
            connected.whenSuccess { other in
                this.value.other = other
                channel.writeAndFlush(confirmation, promise: nil)
            }
            connected.whenFailure { _ in channel.close(promise: nil) }
        }

        func channelInactive(context: ChannelHandlerContext) {
            other?.close(promise: nil)
        }
    }
}

/// Writes everything that arrives to another channel.
private final class ForwardingHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let other: any Channel

    init(to other: any Channel) {
        self.other = other
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        other.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        other.close(promise: nil)
    }
}

// MARK: - Protocols

/// A target that a client asks for.
struct ProxyRequest {
    let host: String
    let port: Int
    /// The entry for ``ForwardingProxy/requests``.
    let text: String
}

/// Reads the requests of one connection to a proxy.
protocol ProxyProtocol {
    /// Reads bytes that have arrived, and leaves those of an incomplete message.
    ///
    /// - Returns: Bytes to answer at once, and the request if it is complete.
    mutating func read(_ received: inout ByteBuffer) -> (answer: ByteBuffer?, request: ProxyRequest?)

    /// The answer when the target is connected.
    var confirmation: ByteBuffer { get }
}

/// An HTTP proxy that supports only `CONNECT` (RFC 9110, 9.3.6).
struct ConnectProtocol: ProxyProtocol {
    let confirmation = ByteBuffer(string: "HTTP/1.1 200 OK\r\n\r\n")

    func read(_ received: inout ByteBuffer) -> (answer: ByteBuffer?, request: ProxyRequest?) {
        let head = String(buffer: received)
        guard head.contains("\r\n\r\n") else { return (nil, nil) }
        received.clear()
        let target = head.split(separator: " ")[1].split(separator: ":")
        return (nil, ProxyRequest(host: String(target[0]), port: Int(target[1]) ?? 0, text: head))
    }
}

/// SOCKS 5 without authentication, to IPv4 addresses (RFC 1928).
struct SOCKSProtocol: ProxyProtocol {
    let confirmation = ByteBuffer(bytes: [5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
    private var isGreeted = false

    init() {}

    mutating func read(_ received: inout ByteBuffer) -> (answer: ByteBuffer?, request: ProxyRequest?) {
        var answer: ByteBuffer?
        if !isGreeted {
            // The version, and a list of methods.
            guard let count = received.getInteger(at: received.readerIndex + 1, as: UInt8.self),
                received.readBytes(length: 2 + Int(count)) != nil
            else { return (nil, nil) }
            isGreeted = true
            answer = ByteBuffer(bytes: [5, 0])
        }
        // The version, the command, a zero, the type of the address, an IPv4 address and a port.
        guard let request = received.readBytes(length: 10) else { return (answer, nil) }
        let host = request[4..<8].map { "\($0)" }.joined(separator: ".")
        let port = Int(request[8]) << 8 | Int(request[9])
        return (answer, ProxyRequest(host: host, port: port, text: "\(host):\(port)"))
    }
}
