import Foundation
import TintypeTLS
import TintypeTesting

/// A server for HTTP/2 over TLS, and HTTP/1.1 on request, that responds to every request with the same body.
final class HTTP2Server: Sendable {
    private struct Record {
        var connectionCount = 0
        var requestCount = 0
        var holdsResponses = false
    }

    private let server: SocketServer
    private let record: Shared<Record>

    private init(_ server: SocketServer, _ record: Shared<Record>) {
        self.server = server
        self.record = record
    }

    var connectionCount: Int { record.now.connectionCount }
    var requestCount: Int { record.now.requestCount }

    /// - Parameters:
    ///   - versions: Returns the versions that the server offers for a connection, by its number, the best one first:
    ///     `h2` or `http/1.1`. A client that shares none gets HTTP/1.1.
    ///   - isSilent: Returns whether the server sends nothing after the TLS handshake of a connection.
    static func start(
        _ identity: OriginIdentity, body: Data, versions: @escaping @Sendable (Int) -> [String] = { _ in ["h2"] },
        isSilent: @escaping @Sendable (Int) -> Bool = { _ in false }
    ) async throws -> HTTP2Server {
        let record = Shared(Record())
        let server = try await SocketServer { number in
            record.withLock { $0.connectionCount += 1 }
            let connection = NegotiatedConnection(body: body, isSilent: isSilent(number)) {
                record.withLock { record in
                    record.requestCount += 1
                    return !record.holdsResponses
                }
            }
            return (connection, try TLSContext(identity, protocols: versions(number)))
        }
        return HTTP2Server(server, record)
    }

    /// Waits until `count` requests have arrived since the start, or until the task is cancelled.
    func waitForRequests(_ count: Int) async { await record.wait { $0.requestCount >= count } }

    func url(_ path: String) -> URL {
        URL(string: "https://127.0.0.1:\(server.port)\(path)") ?? URL(filePath: "/")
    }

    /// Sets whether the requests that arrive from now on get no response.
    func holdResponses(_ holds: Bool) {
        record.withLock { $0.holdsResponses = holds }
    }

    func stop() async {
        await server.stop()
    }

    /// Closes all connections, without an end of their streams, and returns when they are closed.
    func closeConnections() async {
        await server.abortConnections()
    }
}

/// A connection whose version is chosen in the handshake.
private final class NegotiatedConnection: ConnectionHandler {
    private let body: Data
    private let isSilent: Bool
    /// Records a request, and returns whether to respond.
    private let admit: @SocketLoop () -> Bool
    private var version: (any ConnectionHandler)?

    init(body: Data, isSilent: Bool, admit: @escaping @SocketLoop () -> Bool) {
        self.body = body
        self.isSilent = isSilent
        self.admit = admit
    }

    func established(_ connection: SocketConnection) {
        guard !isSilent else { return }
        let (body, admit) = (body, admit)
        version =
            connection.applicationProtocol == "h2"
            ? FrameConnection { admit() ? OriginFrame.response(body) : [] }
            : PlainConnection(body: body, admit: admit)
        version?.opened(connection)
    }

    func received(_ bytes: Data, on connection: SocketConnection) {
        version?.received(bytes, on: connection)
    }
}

/// A connection of HTTP/1.1.
private final class PlainConnection: ConnectionHandler {
    private let body: Data
    private let admit: @SocketLoop () -> Bool
    private var parser = OriginRequestParser()

    init(body: Data, admit: @escaping @SocketLoop () -> Bool) {
        self.body = body
        self.admit = admit
    }

    func received(_ bytes: Data, on connection: SocketConnection) {
        parser.append(bytes)
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\nContent-Type: image/png\r\n\r\n"
        do {
            while try parser.next() != nil {
                if admit() { connection.send(Data(head.utf8) + body) }
            }
        } catch {
            connection.close()
        }
    }
}
