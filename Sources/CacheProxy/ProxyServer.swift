import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// The request of a client.
struct ProxyRequest: Sendable {
    let method: String
    /// The path and the query.
    let target: String
    let fields: [(name: String, value: String)]
    let body: Data
}

/// The response to a client.
struct ProxyResponse: Sendable {
    var status: Int
    var fields: [(name: String, value: String)]
    var body: Data
}

/// An HTTP/1.1 server on 127.0.0.1.
enum ProxyServer {
    /// Serves until the process ends.
    ///
    /// - Parameter respond: Returns the response to a request.
    /// - Throws: An error if the port is not available.
    static func run(port: Int, respond: @escaping @Sendable (ProxyRequest) async -> ProxyResponse) async throws {
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    // The pipeline handler gives requests to the next handler one at a time.
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: true)
                    try channel.pipeline.syncOperations.addHandler(ProxyConnection(respond: respond))
                }
            }
            .bind(host: "127.0.0.1", port: port)
            .get()
        print("listening on \(port)")
        fflush(nil)
        try await listener.closeFuture.get()
    }
}

/// One connection of a client.
private final class ProxyConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let respond: @Sendable (ProxyRequest) async -> ProxyResponse
    private var head: HTTPRequestHead?
    private var body = Data()

    init(respond: @escaping @Sendable (ProxyRequest) async -> ProxyResponse) {
        self.respond = respond
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): (self.head, body) = (head, Data())
        case .body(let bytes): body.append(contentsOf: bytes.readableBytesView)
        case .end: startExchange(on: context.channel)
        }
    }

    private func startExchange(on channel: any Channel) {
        guard let head else { return }
        let request = ProxyRequest(
            // NIO's name for this method is not that of the registry.
            method: head.method == .MSEARCH ? "M-SEARCH" : head.method.rawValue, target: head.uri,
            fields: head.headers.map { ($0.name, $0.value) }, body: body)
        ProxyExchange(request: request, channel: channel).start(respond)
    }
}

/// One request of a client, and the connection for its response.
private struct ProxyExchange: Sendable {
    let request: ProxyRequest
    let channel: any Channel

    func start(_ respond: @escaping @Sendable (ProxyRequest) async -> ProxyResponse) {
        Task { send(await respond(request)) }
    }

    private func send(_ response: ProxyResponse) {
        var headers = HTTPHeaders(response.fields)
        let hasBody = request.method != "HEAD" && response.status != 204 && response.status != 304
        if hasBody { headers.replaceOrAdd(name: "Content-Length", value: "\(response.body.count)") }
        let head = HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: response.status), headers: headers)
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
        if hasBody {
            channel.write(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: response.body))), promise: nil)
        }
        channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
    }
}
