public import Foundation
import TintypeTLS

/// An HTTP/1.1 server for tests, on 127.0.0.1 and in the same process, with or without TLS.
///
/// It answers as a test specifies, correctly or not, and records the requests. It runs from `start(_:)` until
/// ``stop()``. A path without a response is a 404. You can call every method from any thread.
///
///     let origin = try await Origin.start()
///     origin.serve("/a.png", response: .image(data, type: "image/png"))
///     let image = try await pipeline.image(for: origin.url("/a.png"))
///     await origin.stop()
public final class Origin: Sendable {
    /// The URL of the origin without a trailing slash: `http://127.0.0.1:PORT`, or `https:` with TLS.
    package let baseURL: URL

    let ledger: OriginLedger
    private let server: SocketServer

    private init(server: SocketServer, ledger: OriginLedger, scheme: String) throws {
        guard let url = URL(string: "\(scheme)://127.0.0.1:\(server.port)") else { throw POSIXError(.EINVAL) }
        self.baseURL = url
        self.ledger = ledger
        self.server = server
    }

    /// Starts an origin on a free port.
    ///
    /// - Parameter identity: The certificate for TLS; `nil` serves plain HTTP.
    /// - Throws: An error if the certificate is invalid, libssl is not installed or no port is available.
    package static func start(_ identity: OriginIdentity?) async throws -> Origin {
        let ledger = OriginLedger()
        let tls = try identity.map { try TLSContext($0) }
        let server = try await SocketServer { _ in (OriginConnection(ledger: ledger), tls) }
        return try Origin(server: server, ledger: ledger, scheme: tls == nil ? "http" : "https")
    }

    /// Starts an origin of plain HTTP on a free port.
    ///
    /// - Throws: An error if no port is available.
    public static func start() async throws -> Origin { try await start(nil) }

    /// Closes the listener and all connections, and returns when they are closed. Further calls have no effect.
    ///
    /// Responses that this interrupts are not counted in `closedEarly`.
    public func stop() async {
        ledger.stop()
        await server.stop()
    }

    /// Returns the URL of a path at this origin. The path may include a query.
    public func url(_ path: String) -> URL {
        let text = baseURL.absoluteString + OriginLedger.rooted(path)
        return URL(string: text) ?? baseURL.appending(path: path)
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
    package func serve(_ path: String, sequence responses: [OriginResponse]) {
        let sequence = OriginSequence(responses)
        serve(path) { _ in sequence.next() }
    }

    /// Answers the requests to a path with a function.
    ///
    /// - Parameters:
    ///   - path: The path, percent-decoded and without a query.
    ///   - answer: Returns the response. It runs on the thread of all origins, which it must not block, before the
    ///     request is counted.
    public func serve(_ path: String, by answer: @escaping @Sendable (OriginRequest) -> OriginResponse) {
        ledger.route(path, to: answer)
    }
}

extension Origin {
    /// All requests so far, in order of arrival. A request has arrived when its whole body has.
    public var requests: [OriginRequest] { ledger.record.now.requests }

    /// Removes the requests so far from the record and sets their counts to zero, so that a long run needs little
    /// memory.
    package func forgetRequests() {
        ledger.record.withLock { $0.forgetRequests() }
    }

    /// The number of open connections.
    package var openConnections: Int { ledger.record.now.openConnections }

    /// The number of responses whose connection the client closed while the response was delayed, held by a gate,
    /// silent or only partly sent.
    package var closedEarly: Int { ledger.record.now.closedEarly }

    /// Returns the number of requests so far.
    ///
    /// - Parameter path: The path whose requests to count; `nil` counts all.
    public func requestCount(_ path: String? = nil) -> Int {
        ledger.record.now.requestCount(path)
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
    package func waitForClosedEarly(_ count: Int) async {
        await ledger.record.wait { $0.closedEarly >= count }
    }
}

/// The certificate and private key of an origin that uses TLS.
package struct OriginIdentity: Sendable {
    /// The certificate, followed by those that signed it, in PEM format.
    package var certificates: String
    /// The private key of the certificate, in PEM format.
    package var key: String
    /// The certificates of which clients must present one, in PEM format; `nil` accepts clients without one.
    package var clients: String?

    /// Creates an identity from PEM texts. ``Origin/start(_:)`` checks them.
    package init(certificates: String, key: String, clients: String? = nil) {
        self.certificates = certificates
        self.key = key
        self.clients = clients
    }
}
