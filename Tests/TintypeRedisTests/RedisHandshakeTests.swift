import Foundation
import Testing
import TintypeCore

@testable import TintypeRedis

@Suite struct RedisHandshakeTests {
    private func configuration(
        user: String? = nil, password: String? = nil, database: Int = 0
    ) -> RedisConfiguration {
        var configuration = RedisConfiguration(host: "cache.example")
        (configuration.user, configuration.password, configuration.database) = (user, password, database)
        return configuration
    }

    /// Performs a handshake with these replies.
    ///
    /// - Returns: The commands as lines, then `done` or the message of the error.
    private func run(_ configuration: RedisConfiguration, _ replies: RESPValue...) throws -> [String] {
        var handshake = RedisHandshake(configuration)
        var lines = [try line(handshake.first)]
        for reply in replies {
            switch handshake.received(reply) {
            case .send(let command): lines.append(try line(command))
            case .done: lines.append("done")
            case .refused(let error):
                #expect(error.code == .badStatus && error.subject == configuration.name)
                lines.append(error.message)
            }
        }
        return lines
    }

    private func line(_ command: RESPCommand) throws -> String {
        guard case .array(let arguments)? = try RESPDecoder.decode(command.bytes).first else { return "" }
        return arguments.compactMap(\.text).joined(separator: " ")
    }

    private let unknown = RESPValue.error(
        "ERR unknown command 'HELLO', with args beginning with: '3' 'AUTH' 'default' 'secret' ")
    private let fine = RESPValue.simple("OK")
    private let greeting = RESPValue.map([.init(.simple("proto"), .integer(3))])

    @Test func oneCommandIsEnough() throws {
        #expect(try run(configuration(), greeting) == ["HELLO 3 SETNAME tintype", "done"])
        #expect(
            try run(configuration(password: "secret"), greeting)
                == ["HELLO 3 AUTH default secret SETNAME tintype", "done"])
        #expect(
            try run(configuration(user: "ann", password: "secret"), greeting)
                == ["HELLO 3 AUTH ann secret SETNAME tintype", "done"])
    }

    @Test func aDatabaseIsSelected() throws {
        #expect(
            try run(configuration(database: 3), greeting, fine) == ["HELLO 3 SETNAME tintype", "SELECT 3", "done"])
    }

    @Test func oldServersGetOldCommands() throws {
        #expect(
            try run(configuration(password: "secret", database: 2), unknown, fine, fine, fine) == [
                "HELLO 3 AUTH default secret SETNAME tintype", "AUTH secret", "CLIENT SETNAME tintype", "SELECT 2",
                "done",
            ])
        #expect(
            try run(configuration(), .error("NOPROTO unsupported protocol version"), fine)
                == ["HELLO 3 SETNAME tintype", "CLIENT SETNAME tintype", "done"])
    }

    @Test func aNameIsNotNecessary() throws {
        #expect(
            try run(configuration(), unknown, .error("ERR unknown command"))
                == ["HELLO 3 SETNAME tintype", "CLIENT SETNAME tintype", "done"])
    }

    @Test func refusalsSayWhatIsWrongAndQuoteNothing() throws {
        let secret = configuration(password: "secret")
        let echo = " with args beginning with: 'secret'"
        let refusals: [(RedisConfiguration, [RESPValue], String)] = [
            (configuration(), [.error("NOAUTH HELLO must be called")], "the server requires a password (NOAUTH)"),
            (
                secret, [.error("WRONGPASS invalid" + echo)],
                "the server refuses the user name or the password (WRONGPASS)"
            ),
            (
                secret, [unknown, .error("ERR unknown command 'AUTH'" + echo)],
                "the server refuses to authenticate (ERR)"
            ),
            (
                configuration(), [.error("DENIED Redis is running in protected mode")],
                "the server is in protected mode: give it a password or bind it to an address (DENIED)"
            ),
            (
                configuration(), [.error("ERR max number of clients reached")],
                "the server has too many clients (ERR)"
            ),
            (
                configuration(database: 99), [greeting, .error("ERR DB index is out of range")],
                "the server refuses database 99 (ERR)"
            ),
            (secret, [.error("secret")], "the server refuses the connection (no code)"),
        ]
        for (configuration, replies, message) in refusals {
            var handshake = RedisHandshake(configuration)
            let progress = replies.map { handshake.received($0) }.last
            guard case .refused(let error)? = progress else {
                Issue.record("not refused")
                continue
            }
            #expect(error.message == message)
        }
    }
}
