import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL
import TintypeTesting

/// A server for HTTP/2 over TLS that responds to every request with the same body.
final class HTTP2Server: Sendable {
    private let listener: any Channel
    private let connections: Shared<Int>

    private init(_ listener: any Channel, _ connections: Shared<Int>) {
        self.listener = listener
        self.connections = connections
    }

    var connectionCount: Int { connections.now }

    static func start(_ identity: OriginIdentity, body: Data) async throws -> HTTP2Server {
        let connections = Shared(0)
        let context = try context(identity)
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                connections.withLock { $0 += 1 }
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    _ = try channel.pipeline.syncOperations.configureHTTP2Pipeline(
                        mode: .server, connectionConfiguration: .init(), streamConfiguration: .init()
                    ) { stream in
                        stream.eventLoop.makeCompletedFuture {
                            try stream.pipeline.syncOperations.addHandlers([
                                HTTP2FramePayloadToHTTP1ServerCodec(), ResponseHandler(body: body),
                            ])
                        }
                    }
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return HTTP2Server(listener, connections)
    }

    func url(_ path: String) -> URL {
        URL(string: "https://127.0.0.1:\(listener.localAddress?.port ?? 0)\(path)") ?? URL(filePath: "/")
    }

    func stop() async {
        try? await listener.close()
    }

    private static func context(_ identity: OriginIdentity) throws -> NIOSSLContext {
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(identity.certificates.utf8))
        let key = try NIOSSLPrivateKey(bytes: Array(identity.key.utf8), format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.applicationProtocols = ["h2"]
        return try NIOSSLContext(configuration: configuration)
    }

    private final class ResponseHandler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let body: Data
        private var responds = false

        init(body: Data) {
            self.body = body
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            // `/never` gets no response.
            if case .head(let head) = unwrapInboundIn(data) { responds = head.uri != "/never" }
            guard case .end = unwrapInboundIn(data), responds else { return }
            let head = HTTPResponseHead(
                version: .http2, status: .ok, headers: ["content-length": "\(body.count)", "content-type": "image/png"])
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }
}
