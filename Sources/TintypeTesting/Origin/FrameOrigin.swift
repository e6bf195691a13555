package import Foundation
import TintypeTLS

/// An HTTP/2 server for tests, over TLS on 127.0.0.1, that sends exactly the frames that a test specifies.
///
/// It reads only as much of the client's frames as it needs to count requests and to acknowledge settings. You can call
/// every method from any thread.
///
///     let origin = try await FrameOrigin.start(identity) { _ in [.headers([(":status", "000")], endStream: true)] }
package final class FrameOrigin: Sendable {
    /// The frames with which the origin answers a request.
    ///
    /// - Parameter number: The number of earlier requests.
    package typealias Answer = @Sendable (_ number: Int) -> [OriginFrame]

    /// The URL of the origin without a trailing slash.
    package let baseURL: URL

    private let server: SocketServer
    private let record: Shared<Record>

    struct Record: Sendable {
        var requests = 0
        var connectionCount = 0
        var openConnections = 0

        mutating func countConnection() {
            connectionCount += 1
            openConnections += 1
        }

        /// - Returns: The number of earlier requests.
        mutating func countRequest() -> Int {
            defer { requests += 1 }
            return requests
        }
    }

    private init(_ server: SocketServer, _ record: Shared<Record>) throws {
        guard let url = URL(string: "https://127.0.0.1:\(server.port)") else { throw POSIXError(.EINVAL) }
        baseURL = url
        self.server = server
        self.record = record
    }

    /// Starts an origin on a free port.
    ///
    /// - Parameters:
    ///   - identity: The certificate for TLS.
    ///   - opening: Returns the frames at the start of each connection. The first one must be SETTINGS in a correct
    ///     connection.
    ///   - answer: Returns the frames that answer a request, when its last frame has arrived. Both closures run on the
    ///     thread of all origins, which they must not block.
    /// - Throws: An error if the certificate is invalid, libssl is not installed or no port is available.
    package static func start(
        _ identity: OriginIdentity, opening: @escaping @Sendable () -> [OriginFrame] = { [.settings()] },
        answer: @escaping Answer
    ) async throws -> FrameOrigin {
        try await start(identity, opening: opening, answersHeads: false, answer: answer)
    }

    /// Starts an origin on a free port.
    ///
    /// - Parameter answersHeads: Whether a request is answered when its head has arrived.
    package static func start(
        _ identity: OriginIdentity, opening: @escaping @Sendable () -> [OriginFrame] = { [.settings()] },
        answersHeads: Bool, answer: @escaping Answer
    ) async throws -> FrameOrigin {
        let tls = try TLSContext(identity, protocols: ["h2"])
        let record = Shared(Record())
        let server = try await SocketServer(
            admit: { _ in
                record.withLock { $0.countConnection() }
                let connection = FrameConnection(opening: opening, answersHeads: answersHeads) {
                    answer(record.withLock { $0.countRequest() })
                }
                return (connection, tls)
            }, whenClosed: { record.withLock { $0.openConnections -= 1 } })
        return try FrameOrigin(server, record)
    }

    /// Closes the listener and all connections, and returns when they are closed.
    package func stop() async {
        await server.stopListening()
        await closeConnections()
    }

    /// Closes all connections at once, without a TLS closing alert, and returns when they are closed.
    package func closeConnections() async {
        await server.abortConnections()
    }

    /// Returns the URL of a path at this origin.
    package func url(_ path: String) -> URL { baseURL.appending(path: path) }

    /// The number of requests so far.
    package var requestCount: Int { record.now.requests }

    /// The number of connections so far.
    package var connectionCount: Int { record.now.connectionCount }

    /// Waits until `count` requests have arrived since the start, or until the task is cancelled.
    package func waitForRequests(_ count: Int) async { await record.wait { $0.requests >= count } }

    /// Waits until the client has closed all connections, or until the task is cancelled.
    package func waitForNoConnections() async { await record.wait { $0.openConnections == 0 } }
}
