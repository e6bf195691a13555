import Foundation
import TintypeHTTP

/// A whole response of the server. The shell only sends it.
struct ServerResponse: Hashable, Sendable {
    /// The status code.
    var status: Int
    /// The header fields, with `Content-Length` unless the status forbids it.
    var fields: HTTPFields
    /// The body; `nil` for none.
    var body: Data?

    /// The methods of the image routes.
    static let allowedMethods = "GET, HEAD, OPTIONS"

    init(status: Int, fields: HTTPFields = HTTPFields(), body: Data? = nil) {
        self.status = status
        self.fields = fields
        self.body = body
        if let body { self.fields["Content-Length"] = "\(body.count)" }
    }

    /// Returns the response to a HEAD request: the same status and fields, and no body (RFC 9110, 9.3.2).
    var withoutBody: ServerResponse {
        var response = self
        response.body = nil
        return response
    }

    /// Returns the response with the identifier of its request.
    func identified(by requestID: String) -> ServerResponse {
        var response = self
        response.fields[RequestID.fieldName] = requestID
        return response
    }

    /// Returns a response about the server itself, such as its health, which no cache keeps.
    static func report(status: Int = 200, contentType: String, _ text: String) -> ServerResponse {
        var fields: HTTPFields = ["Content-Type": contentType, "Cache-Control": "no-store"]
        ProtectiveFields.add(to: &fields)
        return ServerResponse(status: status, fields: fields, body: Data(text.utf8))
    }

    /// Returns the response with the body that a method permits.
    func answering(_ method: String) -> ServerResponse { method == "HEAD" ? withoutBody : self }

    /// The answer to a method before anything else is looked at: `nil` for GET and HEAD (RFC 9110, 9.3.7 and 15.5.6).
    ///
    /// - Parameters:
    ///   - fields: The header fields of the request.
    ///   - policy: The web origins that may read responses.
    static func answer(method: String, _ fields: HTTPFields, policy: CrossOriginPolicy) -> ServerResponse? {
        switch method {
        case "GET", "HEAD": return nil
        case "OPTIONS":
            var response = ServerResponse(status: 204, fields: ["Allow": allowedMethods])
            policy.add(to: &response.fields, for: fields)
            policy.addPreflight(to: &response.fields)
            return response
        default:
            return ServerResponse(
                status: 405, fields: ["Allow": allowedMethods, "Cache-Control": "no-store"], body: Data())
        }
    }
}

/// Header fields that protect the users of a browser.
enum ProtectiveFields {
    /// An SVG image runs no script and loads nothing, also when it is opened as a document.
    static let contentSecurityPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"

    /// Adds the fields of every response with a body from outside, or quoting something from outside.
    static func add(to fields: inout HTTPFields) {
        fields["Content-Security-Policy"] = contentSecurityPolicy
        fields["X-Content-Type-Options"] = "nosniff"
    }
}
