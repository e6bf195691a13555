#if Server
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import TintypeHTTP
import TintypeServer

/// Hands requests to the service and sends its responses. It comes before any router, because a router decodes paths
/// and drops empty segments, of which the sources of image URLs have some.
struct ImageResponder: HTTPResponder {
    typealias Context = ConnectionContext

    /// The size of the largest body of a request that a reverse proxy passes on, in bytes.
    private static let maximumBodyByteCount = 1 << 20

    let service: ImageService
    let routes: ServerRoutes
    let monitor: RequestMonitor
    let connections: ClientConnections
    var proxies = TrustedProxies.none

    func respond(to request: Request, context: Context) async throws -> Response {
        var head = ServerRequest(request)
        let connection = connections.connection(of: context.channel)
        head.connection = connection
        head.client = proxies.client(peer: connection.peer, head.fields)
        if let response = routes.response(to: head) { return Response(response, id: head.id) }
        if service.readsBodies, request.method != .get, request.method != .head {
            let body = try? await request.body.collect(upTo: Self.maximumBodyByteCount)
            guard let body else { return Response(status: .contentTooLarge) }
            head.body = body.readableBytes > 0 ? Data(body.readableBytesView) : nil
        }
        let response = await monitor.watching(head) { [head] in await service.respond(to: head) }
        return Response(response, id: head.id)
    }
}

/// The context of a request, which knows its channel.
struct ConnectionContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The channel of the connection, or of the stream of HTTP/2.
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}

/// Answers on the ports of the operator.
struct OperatorResponder: HTTPResponder {
    typealias Context = BasicRequestContext

    let routes: OperatorRoutes

    func respond(to request: Request, context: Context) async throws -> Response {
        let head = ServerRequest(request)
        return Response(await routes.response(to: head), id: head.id)
    }
}

extension ServerRequest {
    /// Copies the head of a request.
    init(_ request: Request) {
        let fields = TintypeHTTP.HTTPFields(
            request.headers.map { (name: $0.name.canonicalName, value: $0.value) })
        // NIO 2 has a wrong name for this one of the methods that it knows (HTTPMethod.MSEARCH).
        let method = request.method.rawValue == "MSEARCH" ? "M-SEARCH" : request.method.rawValue
        self.init(
            method: method, target: request.head.path ?? "/", fields: fields,
            id: RequestID.accept(fields["x-request-id"]))
    }
}

extension Response {
    /// Creates the response that the service has decided.
    init(_ response: ServiceResponse, id: String) {
        let wire = response.wire?.form { WireResponse(response) } ?? WireResponse(response)
        var fields = wire.fields
        fields.append(HTTPField(name: WireResponse.idName, value: id))
        let body =
            response.stream.map { ResponseBody(asyncSequence: BodyParts(stream: $0)) }
            ?? wire.body.map { ResponseBody(byteBuffer: $0) }
        self.init(status: HTTPResponse.Status(code: response.status), headers: fields, body: body ?? ResponseBody())
    }
}

/// A response in the types of Hummingbird, without the identifier of its request.
struct WireResponse: Sendable {
    let fields: HTTPTypes.HTTPFields
    let body: ByteBuffer?

    /// The field with the identifier of the request. The name is a token, so it is never another one.
    fileprivate static let idName = HTTPField.Name("X-Request-Id") ?? .from

    init(_ response: ServiceResponse) {
        var fields = HTTPTypes.HTTPFields()
        for field in response.fields.all {
            guard let name = HTTPField.Name(field.name) else { continue }
            // The application sets its own date in any response.
            fields.append(HTTPField(name: name == .date ? OriginDateHandler.name : name, value: field.value))
        }
        self.fields = fields
        body = response.body.map { ByteBuffer(bytes: $0) }
    }
}

/// The parts of a body that is sent while it arrives. The next one is asked for when the client has read the last.
struct BodyParts: AsyncSequence, Sendable {
    let stream: BodyStream

    struct AsyncIterator: AsyncIteratorProtocol {
        let stream: BodyStream

        func next() async throws -> ByteBuffer? { try await stream.next().map { ByteBuffer(bytes: $0) } }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(stream: stream) }
}
#endif
