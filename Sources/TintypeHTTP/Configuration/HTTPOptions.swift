import Foundation
public import TintypeCore

/// The HTTP options of one request. `nil` stands for the value of the ``DownloaderConfiguration``.
///
/// Loads with equal options share a transfer. **Options are not part of cache keys**: a response that one user got with
/// a credential, a cookie or an interceptor is a cache hit for another user of the same URL, unless the freshness
/// policy is `LoadPolicy.Freshness.http` and the origin names the header field in `Vary`. If the bytes depend on the
/// user, put the header field into an `HTTPSource`: its digest is part of the key. Alternatively, give the request its
/// own `ImageRequest.identity` or its own cache.
public struct HTTPOptions: Hashable, Sendable {
    /// The interceptors around each exchange of this request, inside those of the configuration.
    ///
    /// They are equal to others with the same identifiers.
    public var interceptors: [any HTTPInterceptor] {
        get { ownInterceptors.list }
        set { ownInterceptors.list = newValue }
    }
    private var ownInterceptors = InterceptorList()

    /// The credential that is sent to the origin of the request. It is also sent to the origins of alternative sources,
    /// which are separate requests.
    public var credential: HTTPCredential?

    /// Whether cookies are sent, and responses may set them. `false` by default.
    public var usesCookies = false

    /// Whether the certificate of the request's own origin is not checked. Redirects to other origins are checked.
    /// `false` by default.
    public var acceptsUncheckedCertificate = false

    /// The longest time until a connection is established.
    public var connectTimeout: Duration?
    /// The longest time without a byte from the server.
    public var idleTimeout: Duration?
    /// The longest time of one attempt.
    public var totalTimeout: Duration?
    /// The lowest rate at which the body must arrive; ``MinimumRate/unlimited`` for no limit.
    public var minimumRate: MinimumRate?
    /// The maximum size of the body in bytes, both as sent and decoded.
    public var maximumByteCount: Int?
    /// The maximum number of redirects.
    public var maximumRedirects: Int?
    /// The rules for retries.
    public var retry: RetryPolicy?
    /// Restricts which servers are contacted. The pipeline's other loaders may load only URLs with the schemes of the
    /// guard.
    public var serverGuard: ServerGuard?
    /// The names of additional header fields that a redirect to another origin keeps, on top of those of
    /// ``DownloaderConfiguration/crossOriginFields``.
    public var crossOriginFields: Set<String> = []

    /// Creates options that change nothing.
    public init() {}
}

/// Interceptors, equal to others with the same identifiers.
private struct InterceptorList: Hashable, Sendable {
    var list: [any HTTPInterceptor] = []

    static func == (left: Self, right: Self) -> Bool { left.list.elementsEqual(right.list) { $0.id == $1.id } }

    func hash(into hasher: inout Hasher) {
        for interceptor in list { hasher.combine(interceptor.id) }
    }
}

extension ImageRequest {
    /// The HTTP options of this request. Loads with different options do not share a transfer. Cache keys do not
    /// contain the options.
    public var http: HTTPOptions {
        get { extras[HTTPOptionsKey.self] }
        set { extras[HTTPOptionsKey.self] = newValue }
    }
}

/// The key of ``HTTPOptions`` in the extras of a request.
enum HTTPOptionsKey: RequestExtraKey {
    static let defaultValue = HTTPOptions()
}

/// A certificate with which a client proves its identity to a server over TLS (RFC 8446, 4.4.2).
public struct ClientCertificate: Hashable, Sendable {
    /// The certificate, followed by those that signed it, in PEM format.
    package var certificates: String
    /// The private key of the certificate, in PEM format.
    package var key: String

    /// Creates a certificate from PEM texts. Transfers to its host fail if they cannot be read.
    public init(certificates: String, key: String) {
        self.certificates = certificates
        self.key = key
    }
}

/// A credential in the `Authorization` field.
public enum HTTPCredential: Hashable, Sendable {
    /// A user name without colons, and a password (RFC 7617).
    case basic(user: String, password: String)
    /// A token (RFC 6750).
    case bearer(String)

    /// The value of the `Authorization` field.
    package var authorization: String {
        switch self {
        case .basic(let user, let password): "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())"
        case .bearer(let token): "Bearer \(token)"
        }
    }
}
