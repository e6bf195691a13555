import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOSSL
import TintypeCore

/// What a client of the library below is made with, and cannot change.
///
/// A class, since every transfer looks for the client that has its own: mostly the very same.
final class ClientTraits: Equatable, Sendable {
    let connectTimeout: Duration
    let idleTimeout: Duration
    let connectionsPerHost: Int
    let allowsHTTP2: Bool
    let trustedCertificates: [String]
    let serverGuard: ServerGuard?
    /// Depends on the URL.
    let proxy: ProxyServer?

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

    /// - Throws: ``TintypeCore/TintypeError/Code/insecure`` when a trusted certificate cannot be read.
    func configuration() throws(TintypeError) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: try tls(),
            // Followed by ``Transfer``, which checks where they lead.
            redirectConfiguration: .disallow,
            // Silence is heard by ``IdleHandler``.
            timeout: .init(connect: TimeAmount(connectTimeout)),
            proxy: proxy.map(Self.proxy),
            // Done by ``ResponseBody``, which counts what comes in and what comes out.
            decompression: .disabled)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connectionsPerHost
        // What fails is told at once, and tried again by ``RetryPolicy``.
        configuration.connectionPool.retryConnectionEstablishment = false
        // A span of its own would have no parent: transfers are shared, and no one's task.
        configuration.tracing.tracer = nil
        configuration.httpVersion = allowsHTTP2 ? .automatic : .http1Only
        prepareChannels(&configuration)
        return configuration
    }

    private func prepareChannels(_ configuration: inout HTTPClient.Configuration) {
        let silence = TimeAmount(idleTimeout)
        // A proxy's address is not the one that is asked.
        let serverGuard = proxy == nil ? serverGuard : nil
        configuration.http1_1ConnectionDebugInitializer = Self.initializer { channel in
            try serverGuard?.check(channel)
            try IdleHandler.add(
                to: channel, limit: silence, behind: ByteToMessageHandler<HTTPResponseDecoder>.self)
        }
        configuration.http2ConnectionDebugInitializer = Self.initializer { try serverGuard?.check($0) }
        configuration.http2StreamChannelDebugInitializer = Self.initializer { channel in
            try IdleHandler.add(to: channel, limit: silence, behind: HTTP2FramePayloadToHTTP1ClientCodec.self)
        }
    }

    private static func initializer(
        _ prepare: @escaping @Sendable (any Channel) throws -> Void
    ) -> @Sendable (any Channel) -> EventLoopFuture<Void> {
        { channel in channel.eventLoop.makeCompletedFuture { try prepare(channel) } }
    }

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
    /// Looks at the address that a connection has come to, before anything is sent over it.
    fileprivate func check(_ channel: any Channel) throws(TintypeError) {
        guard let address = channel.remoteAddress.flatMap(IPAddress.init) else { return }
        try check(address)
    }
}
