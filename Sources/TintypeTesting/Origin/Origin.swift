public import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// An HTTP/1.1 origin on 127.0.0.1, with or without TLS, in this process, that answers what a test tells it to - rightly or wrongly - and
/// counts what it was asked.
///
/// It serves from ``start()`` until ``stop()``. A path it was told nothing about is a 404.
public final class Origin: Sendable {
    /// `http://127.0.0.1:PORT`, or `https:` with TLS, without a trailing slash.
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

    /// Starts an origin on a port the system picks.
    ///
    /// - Parameter identity: with which TLS is spoken; `nil` for none.
    public static func start(_ identity: OriginIdentity? = nil) async throws -> Origin {
        let ledger = OriginLedger()
        let tls = try identity?.context()
        // The shared loops outlive every origin: a gate opened or a delay over after `stop()` finds its loop running.
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.backlog, value: 4096)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try admit(channel, to: ledger, tls) }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        return try Origin(listener: listener, ledger: ledger, scheme: tls == nil ? "http" : "https")
    }

    /// Closes the listener and every connection, and returns when they are closed. Calling it again does no harm.
    ///
    /// Responses it breaks off do not count as ``closedEarly``.
    public func stop() async {
        let channels = [listener] + ledger.stop()
        for channel in channels { channel.close(promise: nil) }
        for channel in channels { try? await channel.closeFuture.get() }
    }

    /// The URL of a path at this origin, and of a query if `path` has one.
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
    /// Answers every request to a path with one response.
    ///
    /// - Parameter path: The path, percent-decoded and without a query. What it served before is replaced.
    public func serve(_ path: String, _ response: OriginResponse) {
        serve(path) { _ in response }
    }

    /// Answers the requests to a path with one response after another; the last one repeats. Without any it is a 404.
    public func serve(_ path: String, sequence responses: [OriginResponse]) {
        let sequence = OriginSequence(responses)
        serve(path) { _ in sequence.next() }
    }

    /// Answers the requests to a path by a function.
    ///
    /// The function runs on the event loop that serves the connection and must not block it. It is called
    /// before the request counts as arrived.
    public func serve(_ path: String, by answer: @escaping @Sendable (OriginRequest) -> OriginResponse) {
        ledger.route(path, to: answer)
    }
}

extension Origin {
    /// Every request so far, in order of arrival: a request has arrived when its body has.
    public var requests: [OriginRequest] { ledger.record.value.requests }

    /// The number of connections open now.
    public var openConnections: Int { ledger.record.value.connections.count }

    /// The number of responses during which the client hung up: delayed, held by a gate, silent or half sent.
    public var closedEarly: Int { ledger.record.value.closedEarly }

    /// The number of requests so far.
    ///
    /// - Parameter path: Counts the requests to this path only; nil counts all.
    public func requestCount(_ path: String? = nil) -> Int {
        ledger.record.value.requestCount(path)
    }

    /// Returns when `count` requests have arrived, counted from the start, or when the task is cancelled.
    ///
    /// - Parameter path: Counts the requests to this path only; nil counts all.
    public func waitForRequests(_ count: Int, path: String? = nil) async {
        await ledger.record.wait { $0.requestCount(path) >= count }
    }

    /// Returns when the client has hung up on `count` responses, or when the task is cancelled.
    public func waitForClosedEarly(_ count: Int) async {
        await ledger.record.wait { $0.closedEarly >= count }
    }
}

/// What an origin that speaks TLS proves itself with.
public struct OriginIdentity: Sendable {
    /// The certificate and those that signed it, in PEM.
    public var certificates: String
    /// Its private key, in PEM.
    public var key: String

    public init(certificates: String, key: String) {
        self.certificates = certificates
        self.key = key
    }

    func context() throws -> NIOSSLContext {
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(certificates.utf8)).map {
            NIOSSLCertificateSource.certificate($0)
        }
        let key = try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem)
        return try NIOSSLContext(
            configuration: .makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key)))
    }
}
