import Foundation
import NIOCore
import NIOPosix
import TintypeTesting

/// A proxy that supports only `CONNECT`, and forwards bytes in both directions.
final class ConnectProxy: Sendable {
    private let listener: any Channel
    private let seen: Shared<[String]>

    private init(_ listener: any Channel, _ seen: Shared<[String]>) {
        self.listener = listener
        self.seen = seen
    }

    /// The heads of the requests so far.
    var requests: [String] { seen.now }
    var port: Int { listener.localAddress?.port ?? 0 }

    static func start() async throws -> ConnectProxy {
        let seen = Shared<[String]>([])
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ConnectHandler(seen))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return ConnectProxy(listener, seen)
    }

    func stop() async {
        try? await listener.close()
    }

    /// Reads the request, connects, and forwards everything that follows.
    private final class ConnectHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let seen: Shared<[String]>
        private var head = ""
        private var other: (any Channel)?

        init(_ seen: Shared<[String]>) {
            self.seen = seen
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = unwrapInboundIn(data)
            if let other { return other.writeAndFlush(bytes, promise: nil) }
            head += String(buffer: bytes)
            guard head.contains("\r\n\r\n") else { return }
            let (head, channel) = (head, context.channel)
            seen.withLock { $0.append(head) }
            let target = head.split(separator: " ")[1].split(separator: ":")
            let this = NIOLoopBound(self, eventLoop: context.eventLoop)
            let connected = ClientBootstrap(group: context.eventLoop)
                .connectTimeout(.hours(1))
                .channelInitializer { other in
                    other.eventLoop.makeCompletedFuture {
                        try other.pipeline.syncOperations.addHandler(ForwardingHandler(to: channel))
                    }
                }
                .connect(host: String(target[0]), port: Int(target[1]) ?? 0)
            connected.whenSuccess { other in
                this.value.other = other
                channel.writeAndFlush(ByteBuffer(string: "HTTP/1.1 200 OK\r\n\r\n"), promise: nil)
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

/// A SOCKS 5 proxy without authentication (RFC 1928), which connects to IPv4 addresses and forwards bytes in both directions.
final class SOCKSProxy: Sendable {
    private let listener: any Channel
    private let seen: Shared<[String]>

    private init(_ listener: any Channel, _ seen: Shared<[String]>) {
        self.listener = listener
        self.seen = seen
    }

    /// The addresses and ports that clients asked for.
    var targets: [String] { seen.now }
    var port: Int { listener.localAddress?.port ?? 0 }

    static func start() async throws -> SOCKSProxy {
        let seen = Shared<[String]>([])
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Handler(seen))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return SOCKSProxy(listener, seen)
    }

    func stop() async {
        try? await listener.close()
    }

    /// Reads the greeting and the request, connects, and forwards everything that follows.
    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let seen: Shared<[String]>
        private var received = ByteBuffer()
        private var isGreeted = false
        private var other: (any Channel)?

        init(_ seen: Shared<[String]>) {
            self.seen = seen
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var bytes = unwrapInboundIn(data)
            if let other { return other.writeAndFlush(bytes, promise: nil) }
            received.writeBuffer(&bytes)
            if !isGreeted {
                // The version, and a list of methods.
                guard let count = received.getInteger(at: received.readerIndex + 1, as: UInt8.self),
                    received.readBytes(length: 2 + Int(count)) != nil
                else { return }
                isGreeted = true
                context.channel.writeAndFlush(ByteBuffer(bytes: [5, 0]), promise: nil)
            }
            // The version, the command, a zero, the type of the address, an IPv4 address and a port.
            guard let request = received.readBytes(length: 10) else { return }
            let host = request[4..<8].map { "\($0)" }.joined(separator: ".")
            let port = Int(request[8]) << 8 | Int(request[9])
            seen.withLock { $0.append("\(host):\(port)") }
            connect(host, port, context)
        }

        private func connect(_ host: String, _ port: Int, _ context: ChannelHandlerContext) {
            let channel = context.channel
            let this = NIOLoopBound(self, eventLoop: context.eventLoop)
            let connected = ClientBootstrap(group: context.eventLoop)
                .connectTimeout(.hours(1))
                .channelInitializer { other in
                    other.eventLoop.makeCompletedFuture {
                        try other.pipeline.syncOperations.addHandler(ForwardingHandler(to: channel))
                    }
                }
                .connect(host: host, port: port)
            connected.whenSuccess { other in
                this.value.other = other
                channel.writeAndFlush(ByteBuffer(bytes: [5, 0, 0, 1, 0, 0, 0, 0, 0, 0]), promise: nil)
            }
            connected.whenFailure { _ in channel.close(promise: nil) }
        }

        func channelInactive(context: ChannelHandlerContext) {
            other?.close(promise: nil)
        }
    }
}
