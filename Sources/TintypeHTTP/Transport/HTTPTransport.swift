public import Foundation
public import TintypeCore

/// Sends HTTP requests over a network: one exchange at a time, without redirects, retries, cookies, caching or content
/// codings, which the downloader adds above it.
///
/// The standard one is libcurl. A program can bring its own (``DownloaderConfiguration/transport``).
public protocol HTTPTransport: Sendable {
    /// Sends a request, and reports what happens to `response`. Returns at once; the events follow from any thread, one
    /// after another: ``TransportResponse/connect(_:)`` if the connection is known,
    /// ``TransportResponse/receive(_:)-(TransportHead)``, the parts of the body, and
    /// ``TransportResponse/finish(_:)`` in every case.
    ///
    /// - Returns: The handle that cancels the exchange. The downloader keeps it until the exchange has ended.
    func send(_ request: TransportRequest, to response: TransportResponse) -> any TransportExchange

    /// Whether the transport asks ``TransportRequest/addressCheck`` before it connects. `false` by default: requests
    /// with a ``ServerGuard`` are then refused.
    var checksAddresses: Bool { get }
}

extension HTTPTransport {
    /// `false`.
    public var checksAddresses: Bool { false }
}

/// A running exchange. All members may be called from any thread.
public protocol TransportExchange: Sendable {
    /// Ends the exchange. The response may still receive events, which it ignores.
    func cancel()

    /// Continues to receive the body after ``TransportDemand/pause``. The next part may arrive before this returns.
    func resume()
}

/// Whether a transport continues to receive a body.
public enum TransportDemand: Hashable, Sendable {
    /// It continues.
    case more
    /// It stops reading until ``TransportExchange/resume()``, so that the server has to wait.
    case pause
}

/// A request as a transport sends it.
public struct TransportRequest: Sendable {
    /// The `http:` or `https:` URL without a credential. Its path and query go to the server byte for byte.
    public var url: URL
    /// The method: a token (RFC 9110, 9.1).
    public var method: String
    /// The header fields, which are valid. `Host`, the framing and the fields of the connection are up to the
    /// transport.
    public var headers: HTTPFields
    /// The body; `nil` for none.
    public var body: Data?
    /// The longest time until a connection is established, name resolution and TLS handshake included.
    public var connectTimeout = Duration.seconds(10)
    /// The proxy; `nil` for none.
    public var proxy: ProxyServer?
    /// The settings for TLS.
    public var security = TransportSecurity()
    /// Whether HTTP/2 may be used over TLS.
    public var allowsHTTP2 = true
    /// Whether HTTP/3 may be used, if HTTP/2 may.
    package var allowsHTTP3 = false
    /// Takes a numeric address, such as `10.0.0.5` or `fe80::1`, before a connection to it is opened or used again, and
    /// throws `TintypeError.Code.forbidden` if it is not allowed. Does not block. `nil` allows all.
    public var addressCheck: (@Sendable (_ address: String) throws(TintypeError) -> Void)?
    /// Whether a new connection is opened, because another one turned out to be unusable.
    public var usesNewConnection = false
    /// The maximum number of bytes of a body that are read at once; `nil` for the choice of the transport.
    package var readSize: Int?

    /// Creates a request with standard settings.
    package init(url: URL, method: String = "GET", headers: HTTPFields = [:], body: Data? = nil) {
        (self.url, self.method, self.headers, self.body) = (url, method, headers, body)
    }

    package typealias AddressCheck = @Sendable (_ address: String) throws(TintypeError) -> Void

    /// Whether sending the request twice has the effect of sending it once (RFC 9110, 9.2.2).
    var isIdempotent: Bool { ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].contains(method) }
}

/// The settings for TLS of one request.
public struct TransportSecurity: Hashable, Sendable {
    /// Whether the certificate of the server, and its name, are checked.
    public var checksCertificate = true
    /// Certificates in PEM format that are trusted in addition to those of the system.
    public var trustedCertificates: [String] = []
    /// The certificate with which the client proves its identity; `nil` for none.
    public var clientCertificate: ClientCertificate?

    /// Creates the standard settings.
    package init() {}
}

/// The head of a response.
public struct TransportHead: Sendable {
    /// The status code, from 200 to 999; informational responses are not reported.
    package var status: Int
    /// The protocol: `http/1.0`, `http/1.1`, `http/2` or `http/3`.
    package var version: String
    /// The header fields.
    package var headers: HTTPFields

    /// Creates a head.
    public init(status: Int, version: String, headers: HTTPFields) {
        (self.status, self.version, self.headers) = (status, version, headers)
    }
}

/// What is known about the connection of an exchange.
public struct TransportConnection: Hashable, Sendable {
    /// Whether another request used the connection before; `nil` if that is unknown.
    package var isReused: Bool?
    /// The numeric address of the server, or of the proxy; `nil` if it is unknown.
    package var address: String?
    /// The time to resolve the name of the server. `nil` for a reused connection, or if it is unknown, as below.
    package var nameLookup: Duration?
    /// The time to connect, after the name was resolved and before the TLS handshake.
    package var connecting: Duration?
    /// The time of the TLS handshake; `nil` without TLS.
    package var handshake: Duration?
    /// The round-trip time that the kernel measured while the connection was established.
    package var roundTrip: Duration?

    /// Creates a description; `nil` stands for what is unknown, and for times that a reused connection does not have.
    ///
    /// - Parameters:
    ///   - isReused: Whether another request used the connection before.
    ///   - address: The numeric address of the server, or of the proxy.
    ///   - nameLookup: The time to resolve the name of the server.
    ///   - connecting: The time to connect, after the name was resolved and before the TLS handshake.
    ///   - handshake: The time of the TLS handshake.
    ///   - roundTrip: The round-trip time that the kernel measured while the connection was established.
    public init(
        isReused: Bool? = nil, address: String? = nil, nameLookup: Duration? = nil, connecting: Duration? = nil,
        handshake: Duration? = nil, roundTrip: Duration? = nil
    ) {
        (self.isReused, self.address, self.nameLookup) = (isReused, address, nameLookup)
        (self.connecting, self.handshake, self.roundTrip) = (connecting, handshake, roundTrip)
    }
}

/// The reason for which an exchange ended without a complete response.
public struct TransportFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failures.
    public enum Kind: Hashable, Sendable {
        /// The name of the server is unknown, or no connection was established.
        case unreachable
        /// No connection was established in time.
        case connectTimedOut
        /// The server, or a proxy, is not trusted, or the TLS handshake failed.
        case insecure
        /// The connection was closed before the end of the response, or the stream was reset.
        case closed
        /// The connection turned out to be unusable before the request was sent: it is sent again over another one.
        case unsent
        /// The response is not valid HTTP.
        case malformed
        /// The request cannot be sent.
        case invalidRequest
        /// Anything else.
        case other
    }

    /// The kind of the failure.
    package var kind: Kind
    /// One line for people, which contains no secret.
    public var description: String

    /// Creates a failure.
    public init(_ kind: Kind, _ description: String) {
        (self.kind, self.description) = (kind, description)
    }
}
