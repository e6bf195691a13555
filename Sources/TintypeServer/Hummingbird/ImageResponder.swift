#if Server
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import TintypeHTTP

/// Hands requests to the service and sends its responses. It comes before any router, because a router decodes paths and
/// drops empty segments, of which the sources of image URLs have some.
struct ImageResponder: HTTPResponder {
    typealias Context = BasicRequestContext

    let service: ImageService
    let routes: ServerRoutes
    let monitor: RequestMonitor

    func respond(to request: Request, context: Context) async throws -> Response {
        let head = ServerRequest(request)
        if let response = routes.response(to: head) { return Response(response, id: head.id) }
        let response = await monitor.watching(head) { await service.respond(to: head) }
        return Response(response, id: head.id)
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
        var random = SystemRandomNumberGenerator()
        self.init(
            method: request.method.rawValue, target: request.head.path ?? "/", fields: fields,
            id: RequestID.accept(fields["x-request-id"], using: &random))
    }
}

extension Response {
    /// Creates the response that the service has decided.
    init(_ response: ServiceResponse, id: String) {
        var fields = HTTPTypes.HTTPFields()
        for field in response.fields.all {
            guard let name = HTTPField.Name(field.name) else { continue }
            fields.append(HTTPField(name: name, value: field.value))
        }
        if let name = HTTPField.Name("X-Request-Id") { fields.append(HTTPField(name: name, value: id)) }
        let body = response.body.map { ResponseBody(byteBuffer: ByteBuffer(bytes: $0)) } ?? ResponseBody()
        self.init(status: HTTPResponse.Status(code: response.status), headers: fields, body: body)
    }
}
#endif
