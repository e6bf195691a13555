public import AsyncHTTPClient
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
    let versions: HTTPVersions
    let trustedCertificates: [String]
    let serverGuard: ServerGuard?
    /// The maximum number of bytes that a connection reads at once; `nil` for the client's choice.
    let readSize: Int?
    /// The proxy for the URL of the request; `nil` for none.
    let proxy: ProxyServer?
    /// The only address at which a host is contacted; `nil` if the client resolves names.
    let pin: HostPin?
    /// The client of the program, whose settings replace the other traits; `nil` for a client of the downloader.
    let client: HTTPClient?

    /// Creates the traits for requests with a configuration and options; the options take precedence.
    ///
    /// - Parameter version: The version of HTTP that the server has chosen; `nil` if that is unknown.
    init(
        _ configuration: DownloaderConfiguration, _ options: HTTPOptions, proxy: ProxyServer? = nil,
        pin: HostPin? = nil, version: NegotiatedVersion? = nil
    ) {
        self.proxy = proxy
        self.pin = pin
        client = configuration.client
        connectTimeout = options.connectTimeout ?? configuration.connectTimeout
        idleTimeout = options.idleTimeout ?? configuration.idleTimeout
        connectionsPerHost = max(1, configuration.connectionsPerHost)
        serverGuard = options.serverGuard ?? configuration.serverGuard
        // The client waits without a timeout for the settings of an HTTP/2 server, and keeps the connection open. A
        // server that an untrusted URL names could exhaust the file descriptors of the process.
        let allowsHTTP2 = configuration.allowsHTTP2 && serverGuard == nil
        versions = allowsHTTP2 ? version.map { HTTPVersions($0) } ?? .asFirst : .http1
        trustedCertificates = configuration.trustedCertificates
        // Smaller reads make a limited rate steadier: a read takes at most what may arrive in a tenth of a second.
        readSize = configuration.maximumBytesPerSecond.map { Self.readSize(forBytesPerSecond: $0) }
    }

    /// Returns a power of two, because buffers are rounded up to one, from 1 to 64 KB.
    static func readSize(forBytesPerSecond rate: Int) -> Int {
        let most = min(max(rate / 10, 1 << 10), 64 << 10)
        return 1 << (Int.bitWidth - 1 - most.leadingZeroBitCount)
    }

    static func == (left: ClientTraits, right: ClientTraits) -> Bool {
        left === right || left.client === right.client && (left.client != nil || left.hasSettings(of: right))
    }

    private func hasSettings(of other: ClientTraits) -> Bool {
        pin == other.pin && connectTimeout == other.connectTimeout && idleTimeout == other.idleTimeout
            && connectionsPerHost == other.connectionsPerHost && versions == other.versions
            && trustedCertificates == other.trustedCertificates && serverGuard == other.serverGuard
            && proxy == other.proxy && readSize == other.readSize
    }

    /// Returns the configuration of the client.
    ///
    /// - Parameters:
    ///   - log: Counts its connections, and records their round-trip times.
    ///   - loops: Records the event loops of its HTTP/2 connections.
    ///   - version: Records the version of its connections; `nil` creates a separate check.
    /// - Throws: ``TintypeCore/TintypeError/Code/insecure`` when a trusted certificate cannot be read.
    func configuration(
        recordingTo log: ConnectionLog? = nil, _ loops: HTTP2Loops? = nil, _ version: VersionCheck? = nil
    ) throws(TintypeError) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: try tls(),
            // ``Exchange`` follows redirects, and checks each of them.
            redirectConfiguration: .disallow,
            // ``IdleHandler`` replaces the read timeout.
            timeout: .init(connect: TimeAmount(connectTimeout)),
            proxy: proxy.map(Self.proxy),
            // ``ResponseBody`` decompresses, and limits the bytes before and after it.
            decompression: .disabled)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connectionsPerHost
        // Half of the client's default. The images of a page follow each other within seconds, and connections to hosts
        // that no request follows to only hold descriptors.
        configuration.connectionPool.idleTimeout = .seconds(30)
        // A failure is reported at once; ``RetryPolicy`` decides on another attempt.
        configuration.connectionPool.retryConnectionEstablishment = false
        // A span would have no parent, since a shared transfer is not part of any caller's task.
        configuration.tracing.tracer = nil
        if let pin { configuration.dnsOverride = [pin.host: pin.address.description] }
        configuration.httpVersion = versions == .http1 ? .http1Only : .automatic
        prepareChannels(&configuration, recordingTo: log, loops, version ?? VersionCheck(versions))
        return configuration
    }

    private func prepareChannels(
        _ configuration: inout HTTPClient.Configuration, recordingTo log: ConnectionLog?, _ loops: HTTP2Loops?,
        _ version: VersionCheck
    ) {
        let idleLimit = TimeAmount(idleTimeout)
        // Behind a proxy, the address of the connection is not that of the server.
        let serverGuard = proxy == nil ? serverGuard : nil
        let readSize = readSize
        configuration.http1_1ConnectionDebugInitializer = Self.initializer { channel in
            log?.countWhileOpen(channel)
            try serverGuard?.check(channel)
            try version.check(.http1, channel)
            if let readSize { try Self.limitReads(of: channel, to: readSize) }
            let pipeline = channel.pipeline.syncOperations
            let codec = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            // Both are placed behind the codec, the one that is added last directly behind it.
            try pipeline.addHandler(IdleHandler(limit: idleLimit), position: .after(codec))
            try ResponseGuard.add(to: channel)
            log?.recordRoundTrip(of: channel)
        }
        configuration.http2ConnectionDebugInitializer = Self.initializer { channel in
            log?.countWhileOpen(channel)
            try serverGuard?.check(channel)
            try version.check(.http2, channel)
            if let readSize { try Self.limitReads(of: channel, to: readSize) }
            try HTTP2ConnectionGuard.add(to: channel, recordingTo: loops)
        }
        configuration.http2StreamChannelDebugInitializer = Self.initializer { channel in
            let pipeline = channel.pipeline.syncOperations
            let codec = try pipeline.handler(type: HTTP2FramePayloadToHTTP1ClientCodec.self)
            let connection = HTTP2ConnectionGuard.guarding(channel)
            try pipeline.addHandler(StreamGuard(connection: connection), position: .before(codec))
            try pipeline.addHandler(IdleHandler(limit: idleLimit), position: .after(codec))
            if channel.parent?.isActive == false { Self.failLater(channel) }
        }
    }

    /// Makes a connection read at most `byteCount` bytes before its reader can hold it back.
    private static func limitReads(of channel: any Channel, to byteCount: Int) throws {
        let options = channel.syncOptions
        try options?.setOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: byteCount))
        try options?.setOption(.maxMessagesPerRead, value: 1)
    }

    /// Fails the request of a stream whose connection was closed a moment before. The stream would wait for its
    /// connection forever.
    ///
    /// The client must have started the request on the stream; an error before that makes the client trap.
    private static func failLater(_ stream: any Channel) {
        stream.eventLoop.execute { stream.pipeline.fireErrorCaught(HTTPClientError.remoteConnectionClosed) }
    }

    /// Returns an initializer that runs `prepare`, and closes the channel if it throws: the client forgets a channel
    /// whose initializer fails, and would leave it open.
    ///
    /// The future must be complete when the initializer returns, because the client ends the process if more settings
    /// or GOAWAY arrive before it.
    fileprivate static func initializer(
        _ prepare: @escaping @Sendable (any Channel) throws -> Void
    ) -> @Sendable (any Channel) -> EventLoopFuture<Void> {
        { channel in
            channel.eventLoop.makeCompletedFuture {
                do {
                    try prepare(channel)
                } catch {
                    channel.pipeline.abort()
                    throw error
                }
            }
        }
    }

    /// Returns the TLS settings: the trusted certificates of the system and of the configuration.
    ///
    /// - Throws: ``TintypeCore/TintypeError/Code/insecure`` when a trusted certificate cannot be read.
    func tls() throws(TintypeError) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        if pin != nil { configuration.trustRoots = SystemTrustRoots.shared }
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
        return switch server.kind {
        case .http: .server(host: server.host, port: server.port, authorization: authorization)
        case .socks5: .socksServer(host: server.host, port: server.port)
        }
    }
}

extension HTTPClient.Configuration {
    /// Prepares the configuration of a client that a program creates for ``DownloaderConfiguration/client``.
    ///
    /// Redirects, content codings and retries are left to the downloader, and each connection is guarded against responses
    /// that would end the process in async-http-client. The client uses HTTP/1.1 alone: a server that mixes versions would end the
    /// process, too. All of that also applies to the other requests of the client. An initializer of connections that the
    /// configuration has already runs after that of the guards.
    public mutating func prepareForDownloads() {
        redirectConfiguration = .disallow
        decompression = .disabled
        connectionPool.retryConnectionEstablishment = false
        httpVersion = .http1Only
        let addGuards = ClientTraits.initializer { try ResponseGuard.add(to: $0) }
        let own = http1_1ConnectionDebugInitializer
        http1_1ConnectionDebugInitializer = { channel in
            let guarded = addGuards(channel)
            return if let own { guarded.flatMap { own(channel) } } else { guarded }
        }
    }
}

/// The version of HTTP that a server chooses for a TLS connection (RFC 7301).
enum NegotiatedVersion: Sendable {
    case http1, http2
}

/// The versions that one client accepts for its TLS connections.
///
/// A client ends the process if a server negotiates different versions for connections that are open at the same time,
/// and closes some of them. So all connections of a client have one version. A server that chooses another one gets a
/// client for that version (``HostVersions``).
enum HTTPVersions: Hashable, Sendable {
    /// Offers only HTTP/1.1.
    case http1
    /// Offers both, and accepts what the first server chooses.
    case asFirst
    /// Offers both, and accepts HTTP/2.
    case http2

    /// The versions of a client for servers that chose `version`.
    init(_ version: NegotiatedVersion) {
        self = version == .http1 ? .http1 : .http2
    }
}

/// The version of the connections of one client. Callable from any thread.
final class VersionCheck: Sendable {
    private let version: Locked<NegotiatedVersion?>

    init(_ versions: HTTPVersions) {
        version = Locked(versions == .http2 ? .http2 : nil)
    }

    /// The version of the first connection; `nil` before it.
    var negotiated: NegotiatedVersion? { version.withLock { $0 } }

    /// Checks the version of a new connection. One without TLS always has HTTP/1.1, and is not checked.
    ///
    /// - Throws: ``OtherVersion``.
    func check(_ negotiated: NegotiatedVersion, _ channel: any Channel) throws(OtherVersion) {
        guard (try? channel.pipeline.syncOperations.context(handlerType: NIOSSLClientHandler.self)) != nil else {
            return
        }
        let expected = version.withLock { version in
            if version == nil { version = negotiated }
            return version
        }
        guard expected == negotiated else { throw OtherVersion(negotiated: negotiated) }
    }
}

/// The error of a connection whose HTTP version differs from that of the client's other connections. No request was
/// sent.
struct OtherVersion: Error, CustomStringConvertible {
    let negotiated: NegotiatedVersion

    var description: String { "the server negotiated a different HTTP version than before" }
}

/// The HTTP version of each server that chose another one than the first server of its client, or that may not support
/// HTTP/2.
struct HostVersions: Sendable {
    /// The maximum number of servers. If there are more, all are forgotten, which costs each another connection.
    private static let maximumCount = 1000
    /// How long a server is offered only HTTP/1.1 after a timeout.
    private static let timeoutMemory = Duration.seconds(600)
    /// The number of timeouts in ``timeoutPeriod`` after which no server is offered HTTP/2: each may hold a descriptor
    /// forever.
    private static let maximumTimeoutCount = 32
    private static let timeoutPeriod = Duration.seconds(3600)

    private var versions: [String: NegotiatedVersion] = [:]
    /// The uptime of the last timeout of each server.
    private var timeouts: [String: Duration] = [:]
    /// The uptimes of the last timeouts, the oldest first.
    private var lastTimeouts: ArraySlice<Duration> = []

    var isEmpty: Bool { versions.isEmpty && lastTimeouts.isEmpty }

    /// Returns the version for a server; `nil` if it is that of most servers.
    ///
    /// - Parameters:
    ///   - server: Host and port.
    ///   - now: The uptime.
    func version(of server: String, at now: Duration) -> NegotiatedVersion? {
        if let timeout = timeouts[server], now - timeout < Self.timeoutMemory { return .http1 }
        return versions[server] ?? (offersHTTP2(at: now) ? nil : .http1)
    }

    private func offersHTTP2(at now: Duration) -> Bool {
        guard lastTimeouts.count >= Self.maximumTimeoutCount, let first = lastTimeouts.first else { return true }
        return now - first >= Self.timeoutPeriod
    }

    /// Records the version that a server chose. One that chose HTTP/1.1 once is offered nothing else from then on, so that
    /// a server that changes its mind is not asked forever.
    mutating func record(_ version: NegotiatedVersion, of server: String) {
        timeouts[server] = nil
        guard versions[server] != .http1 else { return }
        if versions.count >= Self.maximumCount { versions = [:] }
        versions[server] = version
    }

    /// Records that no connection to a server was ready in time: it is offered only HTTP/1.1 for a while.
    ///
    /// A server may choose HTTP/2 and then send nothing. The client waits for its settings without a limit, keeps the
    /// connection, and opens no other one to that server meanwhile. An unreachable server causes the same
    /// error. All that it loses is the offer of HTTP/2.
    mutating func recordTimeout(of server: String, at now: Duration) {
        guard versions[server] != .http1 else { return }
        if timeouts.count >= Self.maximumCount { timeouts = [:] }
        timeouts[server] = now
        lastTimeouts = (lastTimeouts + [now]).suffix(Self.maximumTimeoutCount)
    }
}

extension ServerGuard {
    /// Checks the address of a connection once more: a connection to another address than a checked one is closed
    /// before a request is sent.
    ///
    /// - Throws: ``TintypeCore/TintypeError/Code/forbidden``.
    fileprivate func check(_ channel: any Channel) throws(TintypeError) {
        guard let address = channel.remoteAddress.flatMap(IPAddress.init) else { return }
        try check(address)
    }
}

/// The certificates of the system, read once for all clients that are pinned to a host. Each client has a TLS context of
/// its own, and reading the certificates takes tens of milliseconds.
private enum SystemTrustRoots {
    /// The certificates; the default of the TLS library if they are not in a file.
    static let shared: NIOSSLTrustRoots = certificates.map { .certificates($0) } ?? .default

    /// The files of Debian and its relatives, and of Fedora.
    private static let paths = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"]

    private static var certificates: [NIOSSLCertificate]? {
        paths.lazy.compactMap { try? NIOSSLCertificate.fromPEMFile($0) }.first(where: { !$0.isEmpty })
    }
}
