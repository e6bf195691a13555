import Foundation
import TintypeCore
import TintypeHTTP

/// Passes sources through as they are: the option `raw`. HTTP caching is that of a shared cache (RFC 9111).
struct PassThrough: Sendable {
    private let gateway: Gateway
    private let fields: ForwardedFields
    private let crossOrigin: CrossOriginPolicy

    /// - Parameters:
    ///   - fields: Which header fields are passed on.
    ///   - crossOrigin: The web origins that may read responses, unless the server is a reverse proxy.
    init(_ gateway: Gateway, _ fields: ForwardedFields, crossOrigin: CrossOriginPolicy = .none) {
        (self.gateway, self.fields, self.crossOrigin) = (gateway, fields, crossOrigin)
    }

    /// Whether all methods and the query of the request are passed on.
    var isReverseProxy: Bool { fields.isReverseProxy }

    /// Returns the response to a request.
    ///
    /// - Parameter source: The source that the URL of the request names.
    func response(
        to request: ServerRequest, from source: SourceURL, _ report: inout ServiceReport
    ) async throws(Failure) -> ServiceResponse {
        guard let url = url(of: source, request) else {
            throw Failure(.invalidRequest, code: "invalidSource", detail: "\(source.text) is no valid URL")
        }
        let sent = GatewayRequest(
            url: url, method: request.method, headers: fields.request(request.fields, client: request.client),
            body: isReverseProxy ? request.body : nil)
        let start = ContinuousClock.now
        let response: GatewayResponse
        do throws(TintypeError) {
            response = try await gateway.respond(to: sent)
        } catch {
            throw Failure(error)
        }
        switch response.body {
        case .stored(let data):
            report.tier = .raw
            return stored(response, data, to: request, report)
        case .stream(let stream):
            report.download = ContinuousClock.now - start
            let head = ServerResponse(status: response.status, fields: headers(response.headers, request))
            let isBodiless = request.method == "HEAD" || response.status == 204 || response.status == 304
            // Read to its end, the connection can be used again.
            if isBodiless { _ = try? await stream.next() }
            return ServiceResponse(head, report, stream: isBodiless ? nil : BodyStream(stream))
        }
    }

    /// Removes the stored responses of sources.
    func remove(_ sources: PurgedSources) async {
        switch sources {
        case .url(let source): if let url = source.url { await gateway.remove(url) }
        case .prefix(let prefix): await gateway.remove(urlsFrom: prefix)
        }
    }

    /// Waits until all responses so far are stored.
    func flush() async throws(TintypeError) { try await gateway.flush() }

    /// The URL at the origin. A reverse proxy adds the query of the request to that of the source.
    private func url(of source: SourceURL, _ request: ServerRequest) -> URL? {
        guard isReverseProxy, let query = request.target.cut(at: "?")?.after, !query.isEmpty else { return source.url }
        let joined = source.query.map { "\($0)&\(query)" } ?? query
        let base = source.query == nil ? source.text : String(source.text.prefix { $0 != "?" })
        return (try? SourceURL("\(base)?\(joined)"))?.url
    }

    // MARK: Responses

    /// Answers from a stored response: to conditions with 304, and to a range with that part of the body.
    private func stored(
        _ response: GatewayResponse, _ data: Data, to request: ServerRequest, _ report: ServiceReport
    ) -> ServiceResponse {
        var fields = headers(response.headers, request)
        guard !response.isUnmodified else {
            for name in ["content-length", "content-type", "content-encoding", "content-range"] { fields[name] = nil }
            return ServiceResponse(ServerResponse(status: 304, fields: fields), report)
        }
        let isRanged = response.status == 200 && request.method == "GET" && Self.allowsRange(request.fields, response)
        switch isRanged ? ByteRange(request.fields, length: data.count) : .whole {
        case .whole:
            let body = response.status == 204 || response.status == 304 ? nil : data
            fields["Content-Length"] = nil
            return ServiceResponse(ServerResponse(status: response.status, fields: fields, body: body), report)
        case .part(let part):
            fields["Content-Range"] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(data.count)"
            let start = data.startIndex
            let body = data[start + part.lowerBound..<start + part.upperBound]
            return ServiceResponse(ServerResponse(status: 206, fields: fields, body: body), report)
        case .unsatisfiable:
            let fields: HTTPFields = ["Content-Range": "bytes */\(data.count)", "Cache-Control": "no-store"]
            return ServiceResponse(ServerResponse(status: 416, fields: fields, body: Data()), report)
        }
    }

    /// Whether the stored response is the one of which the client has a part (RFC 9110, 13.1.5). A date may be that of
    /// several versions within a second, so only a strong entity tag counts.
    private static func allowsRange(_ request: HTTPFields, _ response: GatewayResponse) -> Bool {
        guard let condition = request["if-range"] else { return true }
        let (tag, own) = (EntityTag(HTTPList.trimmed(condition)), response.headers["etag"].map { EntityTag($0) })
        return !tag.isWeak && tag == own
    }

    /// The fields of a response. A source of any type may come from anyone, so browsers do not run what it contains;
    /// the sources of a reverse proxy are those of the operator.
    private func headers(_ response: HTTPFields, _ request: ServerRequest) -> HTTPFields {
        var headers = fields.response(response)
        if !isReverseProxy {
            ProtectiveFields.add(to: &headers)
            crossOrigin.add(to: &headers, for: request.fields)
        }
        return headers
    }
}
