import Foundation
import TintypeCore
import TintypeTesting

/// The request of a client.
struct ProxyRequest: Sendable {
    let method: String
    /// The path and the query.
    let target: String
    let fields: [(name: String, value: String)]
    let body: Data
}

/// The response to a client.
struct ProxyResponse: Sendable {
    var status: Int
    var fields: [(name: String, value: String)]
    var body: Data
}

/// An HTTP/1.1 server on 127.0.0.1.
enum ProxyServer {
    /// Serves until the process ends.
    ///
    /// - Parameter respond: Returns the response to a request.
    /// - Throws: An error if the port is not available.
    static func run(port: Int, respond: @escaping @Sendable (ProxyRequest) async -> ProxyResponse) async throws {
        _ = try await SocketServer(port: port, admit: { _ in (ProxyConnection(respond: respond), nil) })
        print("listening on \(port)")
        fflush(nil)
        // Never resumed.
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }
}

/// One connection of a client. It answers requests in order, one at a time.
private final class ProxyConnection: ConnectionHandler {
    private let respond: @Sendable (ProxyRequest) async -> ProxyResponse
    private var parser = OriginRequestParser()
    private var isResponding = false

    init(respond: @escaping @Sendable (ProxyRequest) async -> ProxyResponse) {
        self.respond = respond
    }

    func received(_ bytes: Data, on connection: SocketConnection) {
        parser.append(bytes)
        if !isResponding { startNextExchange(on: connection) }
    }

    private func startNextExchange(on connection: SocketConnection) {
        do throws(OriginRequestParser.SyntaxError) {
            guard connection.isOpen, let (request, keepsAlive) = try parser.next() else { return }
            isResponding = true
            let proxied = ProxyRequest(
                method: request.method, target: request.target, fields: request.headers, body: request.body)
            Task { [respond] in
                self.finish(await respond(proxied), to: proxied, keepsAlive: keepsAlive, on: connection)
            }
        } catch {
            connection.close()
        }
    }

    private func finish(
        _ response: ProxyResponse, to request: ProxyRequest, keepsAlive: Bool, on connection: SocketConnection
    ) {
        isResponding = false
        connection.send(Self.wire(response, to: request, keepsAlive: keepsAlive))
        if keepsAlive { startNextExchange(on: connection) } else { connection.close() }
    }

    private static func wire(_ response: ProxyResponse, to request: ProxyRequest, keepsAlive: Bool) -> Data {
        let hasBody = request.method != "HEAD" && response.status != 204 && response.status != 304
        var fields = response.fields
        if hasBody {
            fields.removeAll { $0.name.lowercased() == "content-length" }
            fields.append(("Content-Length", "\(response.body.count)"))
        }
        if !keepsAlive { fields.append(("Connection", "close")) }
        let statusLine = "HTTP/1.1 \(response.status) \(HTTPReason.phrase(of: response.status))"
        let lines = [statusLine] + fields.map { "\($0.name): \($0.value)" }
        return Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + (hasBody ? response.body : Data())
    }
}
