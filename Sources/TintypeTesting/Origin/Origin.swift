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
