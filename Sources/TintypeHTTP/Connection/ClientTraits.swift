import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOSSL
import TintypeCore

/// The settings of an HTTP client, which cannot change during its life. Requests with equal traits share a client.
///
/// A class, because every transfer searches the client with its traits: comparing references is usually enough.
final class ClientTraits: Equatable, Sendable {
    let connectTimeout: Duration
    let idleTimeout: Duration
    let connectionsPerHost: Int
    let allowsHTTP2: Bool
    let trustedCertificates: [String]
    let serverGuard: ServerGuard?
    /// The proxy for the URL of the request; `nil` for none.
    let proxy: ProxyServer?

    /// Creates the traits for requests with a configuration and options; the options take precedence.
    init(_ configuration: DownloaderConfiguration, _ options: HTTPOptions, proxy: ProxyServer? = nil) {
        self.proxy = proxy
        connectTimeout = options.connectTimeout ?? configuration.connectTimeout
        idleTimeout = options.idleTimeout ?? configuration.idleTimeout
        connectionsPerHost = max(1, configuration.connectionsPerHost)
        allowsHTTP2 = configuration.allowsHTTP2
        trustedCertificates = configuration.trustedCertificates
        serverGuard = options.serverGuard ?? configuration.serverGuard
    }

    static func == (left: ClientTraits, right: ClientTraits) -> Bool {
        left === right
            || left.connectTimeout == right.connectTimeout && left.idleTimeout == right.idleTimeout
                && left.connectionsPerHost == right.connectionsPerHost && left.allowsHTTP2 == right.allowsHTTP2
                && left.trustedCertificates == right.trustedCertificates && left.serverGuard == right.serverGuard
                && left.proxy == right.proxy
    }

    /// Returns the configuration of the client.
    ///
    /// - Throws: ``TintypeCore/TintypeError/Code/insecure`` when a trusted certificate cannot be read.
    func configuration() throws(TintypeError) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: try tls(),
            // ``Exchange`` follows redirects, and checks each of them.
            redirectConfiguration: .disallow,
            // ``IdleHandler`` replaces the read time-out.
            timeout: .init(connect: TimeAmount(connectTimeout)),
            proxy: proxy.map(Self.proxy),
            // ``ResponseBody`` decompresses, and limits the bytes before and after it.
            decompression: .disabled)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connectionsPerHost
        // A failure is reported at once; ``RetryPolicy`` decides on another attempt.
        configuration.connectionPool.retryConnectionEstablishment = false
        // A span would have no parent, since a shared transfer is not part of any caller's task.
        configuration.tracing.tracer = nil
        configuration.httpVersion = allowsHTTP2 ? .automatic : .http1Only
        prepareChannels(&configuration)
        return configuration
    }

    private func prepareChannels(_ configuration: inout HTTPClient.Configuration) {
        let idleLimit = TimeAmount(idleTimeout)
        // Behind a proxy, the address of the connection is not that of the server.
        let serverGuard = proxy == nil ? serverGuard : nil
        configuration.http1_1ConnectionDebugInitializer = Self.initializer { channel in
            try serverGuard?.check(channel)
            try IdleHandler.add(
                to: channel, limit: idleLimit, behind: ByteToMessageHandler<HTTPResponseDecoder>.self)
        }
        configuration.http2ConnectionDebugInitializer = Self.initializer { try serverGuard?.check($0) }
        configuration.http2StreamChannelDebugInitializer = Self.initializer { channel in
            try IdleHandler.add(to: channel, limit: idleLimit, behind: HTTP2FramePayloadToHTTP1ClientCodec.self)
        }
    }

    private static func initializer(
        _ prepare: @escaping @Sendable (any Channel) throws -> Void
    ) -> @Sendable (any Channel) -> EventLoopFuture<Void> {
        { channel in channel.eventLoop.makeCompletedFuture { try prepare(channel) } }
    }

    /// Returns the TLS settings: the trusted certificates of the system and of the configuration.
    ///
    /// - Throws: ``TintypeCore/TintypeError/Code/insecure`` when a trusted certificate cannot be read.
    func tls() throws(TintypeError) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        guard !trustedCertificates.isEmpty else { return configuration }
        do {
            let certificates = try trustedCertificates.flatMap { try NIOSSLCertificate.fromPEMBytes(Array($0.utf8)) }
            configuration.additionalTrustRoots = [.certificates(certificates)]
            return configuration
        } catch {
            throw TintypeError(.insecure, stage: .load, "a trusted certificate cannot be read", underlying: error)
        }
    }

    private static func proxy(_ server: ProxyServer) -> HTTPClient.Configuration.Proxy {
        let authorization: HTTPClient.Authorization? =
            switch server.credential {
            case .basic(let user, let password): .basic(username: user, password: password)
            case .bearer(let token): .bearer(tokens: token)
            case nil: nil
            }
        return .server(host: server.host, port: server.port, authorization: authorization)
    }
}

extension ServerGuard {
    /// Checks the address of a connection before anything is sent over it.
    ///
    /// - Throws: ``TintypeCore/TintypeError/Code/forbidden``.
    fileprivate func check(_ channel: any Channel) throws(TintypeError) {
        guard let address = channel.remoteAddress.flatMap(IPAddress.init) else { return }
        try check(address)
    }
}
