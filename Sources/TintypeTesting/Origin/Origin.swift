public import Foundation
package import NIOCore
import NIOHTTP1
package import NIOPosix
import NIOSSL
import TintypeCore

/// An HTTP/1.1 server for tests, on 127.0.0.1 and in the same process, with or without TLS.
///
/// It answers as a test specifies, correctly or not, and records the requests. It runs from ``start(_:)`` until
/// ``stop()``. A path without a response is a 404. You can call every method from any thread.
///
///     let origin = try await Origin.start()
///     origin.serve("/a.png", response: .image(data, type: "image/png"))
///     let image = try await pipeline.image(for: origin.url("/a.png"))
///     await origin.stop()
public final class Origin: Sendable {
    /// The URL of the origin without a trailing slash: `http://127.0.0.1:PORT`, or `https:` with TLS.
    public let baseURL: URL

    let ledger: OriginLedger
    private let listener: any Channel

    private init(listener: any Channel, ledger: OriginLedger, scheme: String) throws {
        guard let port = listener.localAddress?.port, let url = URL(string: "\(scheme)://127.0.0.1:\(port)") else {
            throw ChannelError.unknownLocalAddress
        }
        self.baseURL = url
        self.ledger = ledger
        self.listener = listener
    }

    /// Starts an origin on a free port.
    ///
    /// - Parameter identity: The certificate for TLS; `nil` serves plain HTTP.
    /// - Throws: An error if the certificate is invalid or no port is available.
    public static func start(_ identity: OriginIdentity? = nil) async throws -> Origin {
        let ledger = OriginLedger()
        let tls = try identity?.context()
        // The shared event loops outlive every origin, so that a gate or a delay that ends after `stop()` still finds
        // its loop.
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.backlog, value: 4096)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try admit(channel, to: ledger, tls) }
            }
            .bindToNewPort()
        return try Origin(listener: listener, ledger: ledger, scheme: tls == nil ? "http" : "https")
    }

    /// Closes the listener and all connections, and returns when they are closed. Further calls have no effect.
    ///
    /// Responses that this interrupts are not counted in ``closedEarly``.
    public func stop() async {
        let channels = [listener] + ledger.stop()
        for channel in channels { channel.close(promise: nil) }
        for channel in channels { try? await channel.closeFuture.get() }
    }

    /// Returns the URL of a path at this origin. The path may include a query.
    public func url(_ path: String) -> URL {
        let text = baseURL.absoluteString + OriginLedger.rooted(path)
        return URL(string: text) ?? baseURL.appending(path: path)
    }

    private static func admit(_ channel: any Channel, to ledger: OriginLedger, _ tls: NIOSSLContext?) throws {
        try ledger.opened(channel)
        channel.closeFuture.whenComplete { _ in ledger.closed(channel) }
        if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
        try channel.pipeline.syncOperations.addHandlers([
            ByteToMessageHandler(HTTPRequestDecoder()),
            OriginConnection(ledger: ledger),
        ])
    }
}

extension Origin {
    /// Answers every request to a path with the same response.
    ///
    /// - Parameters:
    ///   - path: The path, percent-decoded and without a query.
    ///   - response: The response. It replaces what the path served before.
    public func serve(_ path: String, response: OriginResponse) {
        serve(path) { _ in response }
    }

    /// Answers the requests to a path with one response after another. The last one repeats.
    ///
    /// - Parameters:
    ///   - path: The path, percent-decoded and without a query.
    ///   - responses: The responses. If empty, the path is a 404.
    public func serve(_ path: String, sequence responses: [OriginResponse]) {
        let sequence = OriginSequence(responses)
        serve(path) { _ in sequence.next() }
    }

    /// Answers the requests to a path with a function.
    ///
    /// - Parameters:
    ///   - path: The path, percent-decoded and without a query.
    ///   - answer: Returns the response. It runs on the connection's event loop, which it must not block, before the
    ///     request is counted.
    public func serve(_ path: String, by answer: @escaping @Sendable (OriginRequest) -> OriginResponse) {
        ledger.route(path, to: answer)
    }
}

extension Origin {
    /// All requests so far, in order of arrival. A request has arrived when its whole body has.
    public var requests: [OriginRequest] { ledger.record.value.requests }

    /// Removes the requests so far from the record and sets their counts to zero, so that a long run needs little memory.
    public func forgetRequests() {
        ledger.record.update { $0.forgetRequests() }
    }

    /// The number of open connections.
    public var openConnections: Int { ledger.record.value.connections.count }

    /// The number of responses whose connection the client closed while the response was delayed, held by a gate,
    /// silent or only partly sent.
    public var closedEarly: Int { ledger.record.value.closedEarly }

    /// Returns the number of requests so far.
    ///
    /// - Parameter path: The path whose requests to count; `nil` counts all.
    public func requestCount(_ path: String? = nil) -> Int {
        ledger.record.value.requestCount(path)
    }

    /// Waits until `count` requests have arrived since the start, or until the task is cancelled.
    ///
    /// - Parameters:
    ///   - count: The number of requests.
    ///   - path: The path whose requests to count; `nil` counts all.
    public func waitForRequests(_ count: Int, path: String? = nil) async {
        await ledger.record.wait { $0.requestCount(path) >= count }
    }

    /// Waits until the client has closed `count` responses early, or until the task is cancelled.
    public func waitForClosedEarly(_ count: Int) async {
        await ledger.record.wait { $0.closedEarly >= count }
    }
}

/// The certificate and private key of an origin that uses TLS.
public struct OriginIdentity: Sendable {
    /// The certificate, followed by those that signed it, in PEM format.
    public var certificates: String
    /// The private key of the certificate, in PEM format.
    public var key: String
    /// The certificates of which clients must present one, in PEM format; `nil` accepts clients without one.
    public var clients: String?

    /// Creates an identity from PEM texts. ``Origin/start(_:)`` checks them.
    public init(certificates: String, key: String, clients: String? = nil) {
        self.certificates = certificates
        self.key = key
        self.clients = clients
    }

    /// Returns the server's side of TLS.
    ///
    /// - Parameter protocols: The application protocols that are offered (ALPN).
    func context(protocols: [String] = []) throws -> NIOSSLContext {
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(certificates.utf8)).map {
            NIOSSLCertificateSource.certificate($0)
        }
        let key = try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain, privateKey: .privateKey(key))
        configuration.applicationProtocols = protocols
        if let clients {
            configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(clients.utf8)))
            configuration.certificateVerification = .noHostnameVerification
        }
        return try NIOSSLContext(configuration: configuration)
    }
}

extension ServerBootstrap {
    private static let usedPorts = Locked(Set<Int>())

    /// Listens on a free port of 127.0.0.1 that no server of this process has had before.
    ///
    /// The system gives a port away again as soon as its server has stopped. A client of another test, which still tries to
    /// reach that server, would send its request to the new one.
    ///
    /// - Throws: An error if no port is available.
    package func bindToNewPort() async throws -> any Channel {
        while true {
            let listener = try await bind(host: "127.0.0.1", port: 0).get()
            guard let port = listener.localAddress?.port else { throw ChannelError.unknownLocalAddress }
            if Self.usedPorts.withLock({ $0.insert(port).inserted }) { return listener }
            try await listener.close()
        }
    }
}
