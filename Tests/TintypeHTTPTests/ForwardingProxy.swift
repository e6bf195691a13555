import Foundation
import TintypeTesting

/// A proxy that connects to the targets that clients ask for, and forwards bytes in both directions.
final class ForwardingProxy: Sendable {
    private let server: SocketServer
    private let asked: Shared<[String]>

    private init(_ server: SocketServer, _ asked: Shared<[String]>) {
        self.server = server
        self.asked = asked
    }

    /// The requests of clients: the heads of `CONNECT` requests, or the addresses and ports of SOCKS requests.
    var requests: [String] { asked.now }
    var port: Int { server.port }

    /// Starts a proxy.
    ///
    /// - Parameter makeProtocol: Returns what reads the requests of one connection.
    static func start(_ makeProtocol: @escaping @Sendable () -> any ProxyProtocol) async throws -> ForwardingProxy {
        let asked = Shared<[String]>([])
        let server = try await SocketServer { _ in (RequestHandler(makeProtocol(), asked), nil) }
        return ForwardingProxy(server, asked)
    }

    func stop() async {
        await server.stop()
    }

    /// Reads the request, connects, and forwards everything that follows.
    private final class RequestHandler: ConnectionHandler {
        private var proxyProtocol: any ProxyProtocol
        private let asked: Shared<[String]>
        private var received = Data()
        private var other: SocketConnection?

        init(_ proxyProtocol: any ProxyProtocol, _ asked: Shared<[String]>) {
            self.proxyProtocol = proxyProtocol
            self.asked = asked
        }

        func received(_ bytes: Data, on connection: SocketConnection) {
            if let other { return other.send(bytes) }
            received += bytes
            let step = proxyProtocol.read(&received)
            if let answer = step.answer { connection.send(answer) }
            guard let request = step.request else { return }
            asked.withLock { $0.append(request.text) }
            let forwarding = ForwardingHandler(
                to: connection, confirmation: proxyProtocol.confirmation, first: request.first)
            do {
                other = try SocketConnection.connect(to: request.host, port: request.port, forwarding)
            } catch {
                connection.close()
            }
        }

        func closed(_ connection: SocketConnection) {
            other?.close()
            other = nil
        }
    }
}

/// Confirms that it is connected, and sends everything that arrives to another connection.
private final class ForwardingHandler: ConnectionHandler {
    private let other: SocketConnection
    private let confirmation: Data
    private let first: Data

    init(to other: SocketConnection, confirmation: Data, first: Data) {
        (self.other, self.confirmation, self.first) = (other, confirmation, first)
    }

    func opened(_ connection: SocketConnection) {
        if !confirmation.isEmpty { other.send(confirmation) }
        if !first.isEmpty { connection.send(first) }
    }

    func received(_ bytes: Data, on connection: SocketConnection) {
        other.send(bytes)
    }

    func closed(_ connection: SocketConnection) {
        other.close()
    }
}

// MARK: - Protocols

/// A target that a client asks for.
struct ProxyRequest {
    let host: String
    let port: Int
    /// The entry for ``ForwardingProxy/requests``.
    let text: String
    /// What the proxy sends to the target itself.
    var first = Data()
}

/// Reads the requests of one connection to a proxy.
protocol ProxyProtocol {
    /// Reads bytes that have arrived, and leaves those of an incomplete message.
    ///
    /// - Returns: Bytes to answer at once, and the request if it is complete.
    mutating func read(_ received: inout Data) -> (answer: Data?, request: ProxyRequest?)

    /// The answer when the target is connected.
    var confirmation: Data { get }
}

/// An HTTP proxy for one request over each connection, with an absolute URL in the request line (RFC 9112, 3.2.2).
struct AbsoluteProtocol: ProxyProtocol {
    let confirmation = Data()

    func read(_ received: inout Data) -> (answer: Data?, request: ProxyRequest?) {
        let head = String(decoding: received, as: UTF8.self)
        guard head.contains("\r\n\r\n"), let url = URL(string: String(head.split(separator: " ")[1])) else {
            return (nil, nil)
        }
        received = Data()
        let request = "GET \(url.path()) HTTP/1.1\r\nHost: \(url.host() ?? "")\r\nConnection: close\r\n\r\n"
        return (nil, ProxyRequest(host: url.host() ?? "", port: url.port ?? 80, text: head, first: Data(request.utf8)))
    }
}

/// An HTTP proxy that supports only `CONNECT` (RFC 9110, 9.3.6).
struct ConnectProtocol: ProxyProtocol {
    let confirmation = Data("HTTP/1.1 200 OK\r\n\r\n".utf8)

    func read(_ received: inout Data) -> (answer: Data?, request: ProxyRequest?) {
        let head = String(decoding: received, as: UTF8.self)
        guard head.contains("\r\n\r\n") else { return (nil, nil) }
        received = Data()
        let target = head.split(separator: " ")[1].split(separator: ":")
        return (nil, ProxyRequest(host: String(target[0]), port: Int(target[1]) ?? 0, text: head))
    }
}

/// SOCKS 5 to IPv4 addresses (RFC 1928), without authentication or with a user name and a password (RFC 1929).
struct SOCKSProtocol: ProxyProtocol {
    let confirmation = Data([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
    private let credential: (user: String, password: String)?
    private var isGreeted = false
    private var isAuthenticated = false

    init(_ credential: (user: String, password: String)? = nil) {
        self.credential = credential
    }

    mutating func read(_ received: inout Data) -> (answer: Data?, request: ProxyRequest?) {
        var answer: Data?
        if !isGreeted {
            // The version, and a list of methods.
            guard let count = received.dropFirst().first, Self.take(2 + Int(count), from: &received) != nil else {
                return (nil, nil)
            }
            isGreeted = true
            answer = Data([5, credential == nil ? 0 : 2])
        }
        if let credential, !isAuthenticated {
            // The version, and two texts after their lengths.
            let expected =
                Data([1])
                + [credential.user, credential.password].reduce(Data()) { data, text in
                    data + Data([UInt8(text.utf8.count)]) + Data(text.utf8)
                }
            guard let login = Self.take(expected.count, from: &received) else { return (answer, nil) }
            isAuthenticated = true
            answer = Data([1, Data(login) == expected ? 0 : 1])
        }
        // The version, the command, a zero, the type of the address, an IPv4 address and a port.
        guard let request = Self.take(10, from: &received) else { return (answer, nil) }
        let host = request[4..<8].map { "\($0)" }.joined(separator: ".")
        let port = Int(request[8]) << 8 | Int(request[9])
        return (answer, ProxyRequest(host: host, port: port, text: "\(host):\(port)"))
    }

    /// Removes bytes from the front of what has arrived, if there are enough.
    private static func take(_ count: Int, from received: inout Data) -> [UInt8]? {
        guard received.count >= count else { return nil }
        defer { received = Data(received.dropFirst(count)) }
        return [UInt8](received.prefix(count))
    }
}
