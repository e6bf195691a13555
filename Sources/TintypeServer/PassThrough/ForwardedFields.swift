import Foundation
import TintypeHTTP

/// The header fields that a request takes along to the origin, and a response to the client, when a source is passed
/// through.
struct ForwardedFields: Sendable {
    /// Whether nearly all fields are passed on in both directions, as a reverse proxy does.
    var isReverseProxy: Bool
    /// The `User-Agent` field for the origin, unless that of the client is passed on.
    var userAgent: String
    /// Whether the `Authorization` field is for this server.
    var ownsAuthorization = false

    /// The name of this server in `Via` (RFC 9110, 7.6.3).
    static let pseudonym = "tintype"

    /// The fields of one connection (RFC 9110, 7.6.1), and those that the transport sets.
    private static let hopNames: Set<String> = [
        "connection", "content-length", "expect", "host", "http2-settings", "keep-alive", "proxy-authenticate",
        "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    /// The fields of a request that are passed on by a server that is no reverse proxy. Cookies and credentials are for
    /// this server. Directives for caches are not passed on, because they would let every client reach the origin.
    private static let safeNames: Set<String> = [
        "accept", "accept-encoding", "accept-language", "if-modified-since", "if-none-match", "if-range", "range",
    ]

    /// The fields of a response that are not passed on by a server that is no reverse proxy: what they say holds for
    /// the site of the origin.
    private static let siteNames: Set<String> = [
        "access-control-allow-credentials", "access-control-allow-origin", "access-control-expose-headers", "alt-svc",
        "clear-site-data", "content-security-policy", "content-security-policy-report-only", "nel", "refresh",
        "report-to", "reporting-endpoints", "service-worker-allowed", "set-cookie", "sourcemap",
        "strict-transport-security", "www-authenticate",
    ]

    /// Returns the fields for the origin. A reverse proxy tells it the address of the client, and who has passed the
    /// request on; what others claim about that is dropped.
    ///
    /// - Parameters:
    ///   - fields: The fields of the client's request.
    ///   - client: The address of the client; `nil` if it is unknown.
    func request(_ fields: HTTPFields, client: String? = nil) -> HTTPFields {
        let excluded = Self.hopNames.union(fields.list("connection").map { $0.lowercased() })
        var forwarded = HTTPFields(
            fields.all.filter { field in
                let name = field.name.lowercased()
                guard !excluded.contains(name), isReverseProxy || Self.safeNames.contains(name) else { return false }
                return name != "authorization" || !ownsAuthorization
            })
        if isReverseProxy {
            for name in ["forwarded", "x-forwarded-for"] { forwarded[name] = nil }
            if let client { forwarded.add(name: "X-Forwarded-For", value: client) }
        }
        if !forwarded.contains("user-agent") { forwarded.add(name: "User-Agent", value: userAgent) }
        forwarded["Via"] = ((forwarded.values("via")) + ["1.1 \(Self.pseudonym)"]).joined(separator: ", ")
        return forwarded
    }

    /// Returns the fields for the client.
    ///
    /// - Parameter fields: The fields of the origin's response, without those of its connection.
    func response(_ fields: HTTPFields) -> HTTPFields {
        if isReverseProxy { return fields }
        return HTTPFields(fields.all.filter { !Self.siteNames.contains($0.name.lowercased()) })
    }
}
