import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL
import TintypeTesting

/// A server for HTTP/2 over TLS, and HTTP/1.1 on request, that responds to every request with the same body.
final class HTTP2Server: Sendable {
    private struct Record {
        var connections: [any Channel] = []
        var requestCount = 0
    }

    private let listener: any Channel
    private let record: Shared<Record>

    private init(_ listener: any Channel, _ record: Shared<Record>) {
        self.listener = listener
        self.record = record
    }

    var connectionCount: Int { record.now.connections.count }
    var requestCount: Int { record.now.requestCount }

    /// - Parameters:
    ///   - versions: Returns the versions that the server offers for a connection, by its number, the best one first:
    ///     `h2` or `http/1.1`. A client that shares none gets HTTP/1.1.
    ///   - isSilent: Returns whether the server sends nothing after the TLS handshake of a connection.
    static func start(
        _ identity: OriginIdentity, body: Data, versions: @escaping @Sendable (Int) -> [String] = { _ in ["h2"] },
        isSilent: @escaping @Sendable (Int) -> Bool = { _ in false }
    ) async throws -> HTTP2Server {
        let record = Shared(Record())
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                let number = record.withLock { record in
                    record.connections.append(channel)
                    return record.connections.count - 1
                }
                do {
                    let context = try context(identity, versions(number))
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                } catch {
                    return channel.eventLoop.makeFailedFuture(error)
                }
                if isSilent(number) { return channel.eventLoop.makeSucceededVoidFuture() }
                return channel.configureCommonHTTPServerPipeline { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(
                            ResponseHandler(body: body) { record.withLock { $0.requestCount += 1 } })
                    }
                }
            }
            .bindToNewPort()
        return HTTP2Server(listener, record)
    }

    func url(_ path: String) -> URL {
        URL(string: "https://127.0.0.1:\(listener.localAddress?.port ?? 0)\(path)") ?? URL(filePath: "/")
    }

    func stop() async {
        try? await listener.close()
    }

    /// Closes all connections, without an end of their streams, and returns when they are closed.
    func closeConnections() async {
        for channel in record.now.connections { try? await channel.close() }
    }

    private static func context(_ identity: OriginIdentity, _ versions: [String]) throws -> NIOSSLContext {
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(identity.certificates.utf8))
        let key = try NIOSSLPrivateKey(bytes: Array(identity.key.utf8), format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.applicationProtocols = versions
        return try NIOSSLContext(configuration: configuration)
    }

    private final class ResponseHandler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let body: Data
        private let onRequest: @Sendable () -> Void
        private var responds = false

        init(body: Data, onRequest: @escaping @Sendable () -> Void) {
            self.body = body
            self.onRequest = onRequest
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            // `/never` gets no response.
            if case .head(let head) = unwrapInboundIn(data) {
                responds = head.uri != "/never"
                onRequest()
            }
            guard case .end = unwrapInboundIn(data), responds else { return }
            let head = HTTPResponseHead(
                version: .http1_1, status: .ok,
                headers: ["content-length": "\(body.count)", "content-type": "image/png"])
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }
}
