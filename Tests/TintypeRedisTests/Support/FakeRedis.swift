import Foundation
import TintypeCore
import TintypeTesting

@testable import TintypeRedis

/// A server on a plain socket that does with each command what a test says.
final class FakeRedis: Sendable {
    enum Action: Sendable {
        case send(String)
        case close, reset
    }

    /// Returns what to do with a command on the connection with a number.
    typealias Script = @SocketLoop (_ command: [String], _ connection: Int) -> [Action]

    private let server: SocketServer
    /// The commands that have arrived, without `HELLO` if it is answered.
    let commands: AsyncStream<[String]>

    private init(_ server: SocketServer, _ commands: AsyncStream<[String]>) {
        (self.server, self.commands) = (server, commands)
    }

    /// Starts a server.
    ///
    /// - Parameter answersHello: Whether `HELLO` gets the usual answer. Otherwise the script sees it.
    static func start(answersHello: Bool = true, _ script: @escaping Script) async throws -> FakeRedis {
        let (commands, continuation) = AsyncStream.makeStream(of: [String].self)
        let server = try await SocketServer(admit: { number in
            let connection = FakeConnection { command in
                if answersHello, command.first == "HELLO" { return [.send("%1\r\n+proto\r\n:3\r\n")] }
                continuation.yield(command)
                return script(command, number)
            }
            return (connection, nil)
        })
        return FakeRedis(server, commands)
    }

    var configuration: RedisConfiguration {
        var configuration = RedisConfiguration.patient(port: server.port)
        configuration.connectionCount = 1
        return configuration
    }

    func stop() async { await server.stop() }
}

/// Parses commands, and performs the actions for them.
private final class FakeConnection: ConnectionHandler {
    private let actions: @SocketLoop ([String]) -> [FakeRedis.Action]
    private var decoder = RESPDecoder(RESPLimits(bulkSize: 1 << 20))

    init(_ actions: @escaping @SocketLoop ([String]) -> [FakeRedis.Action]) {
        self.actions = actions
    }

    func received(_ bytes: Data, on connection: SocketConnection) {
        var commands: [[String]] = []
        try? bytes.withUnsafeBytes { bytes in
            try decoder.decode(bytes) { value in
                if case .array(let arguments) = value { commands.append(arguments.compactMap(\.text)) }
            }
        }
        for command in commands {
            for action in actions(command) {
                switch action {
                case .send(let text): connection.send(Data(text.utf8))
                case .close: connection.close()
                case .reset: connection.reset()
                }
            }
        }
    }
}
