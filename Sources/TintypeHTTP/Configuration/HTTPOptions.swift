import Foundation
public import TintypeCore

/// What one request wants of HTTP beside its source; `nil` leaves it to the ``DownloaderConfiguration``.
///
/// Loads with equal options share a transfer. **None of it is in the key of a cache**: what one user got with a credential,
/// a cookie or an interceptor, another finds in the cache under the same URL. Where the bytes depend on who asks, name the
/// header field in an ``TintypeCore/HTTPSource``, whose digest is in the key; or give the request an identity of its own
/// (``TintypeCore/ImageRequest/identity``), or a cache of its own.
public struct HTTPOptions: Sendable {
    /// Around each exchange of this request, inside those of the configuration.
    public var interceptors: [any HTTPInterceptor] = []

    /// Sent with the request, and to no other origin.
    public var credential: HTTPCredential?

    /// Whether cookies are sent and kept. They are not, by default.
    public var usesCookies = false

    /// Whether the certificate of the request's own host is not checked; not that of another it is sent on to.
    public var acceptsUncheckedCertificate = false

    public var connectTimeout: Duration?
    public var idleTimeout: Duration?
    public var totalTimeout: Duration?
    public var maximumByteCount: Int?
    public var maximumRedirects: Int?
    public var retry: RetryPolicy?
    public var serverGuard: ServerGuard?

    public init() {}

    private var identity: [AnyHashable] {
        [
            interceptors.map(\.id), credential, usesCookies, acceptsUncheckedCertificate, connectTimeout, idleTimeout,
            totalTimeout, maximumByteCount, maximumRedirects, retry, serverGuard,
        ]
    }
}

extension HTTPOptions: Hashable {
    public static func == (left: HTTPOptions, right: HTTPOptions) -> Bool {
        left.isPlain && right.isPlain || left.identity == right.identity
    }

    public func hash(into hasher: inout Hasher) {
        if !isPlain { hasher.combine(identity) }
    }

    /// Whether nothing is set, which is what nearly every request has.
    var isPlain: Bool {
        interceptors.isEmpty && credential == nil && !usesCookies && !acceptsUncheckedCertificate
            && connectTimeout == nil && idleTimeout == nil && totalTimeout == nil && maximumByteCount == nil
            && maximumRedirects == nil && retry == nil && serverGuard == nil
    }
}

extension ImageRequest {
    /// What this request wants of HTTP. Loads that differ in it share no transfer; keys of caches do not know of it.
    public var http: HTTPOptions {
        get { extras[HTTPOptionsKey.self] }
        set { extras[HTTPOptionsKey.self] = newValue }
    }
}

enum HTTPOptionsKey: RequestExtraKey {
    static let defaultValue = HTTPOptions()
}

/// What proves who asks.
public enum HTTPCredential: Hashable, Sendable {
    /// RFC 7617. The user name has no colon.
    case basic(user: String, password: String)
    /// RFC 6750.
    case bearer(String)

    /// The value of the `Authorization` field.
    public var authorization: String {
        switch self {
        case .basic(let user, let password): "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())"
        case .bearer(let token): "Bearer \(token)"
        }
    }
}
