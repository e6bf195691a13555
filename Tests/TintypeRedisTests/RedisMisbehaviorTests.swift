import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeRedis

/// Servers that violate the protocol, stop in the middle, or say nothing.
@Suite(.timeLimited) struct RedisMisbehaviorTests {
    private static let short = Duration.milliseconds(60)

    /// Returns the error of `GET` on a server that answers it with these actions.
    private func failureOfGet(
        _ actions: FakeRedis.Action..., change: (inout RedisConfiguration) -> Void = { _ in }
    ) async throws -> TintypeError? {
        let server = try await FakeRedis.start { _, _ in actions }
        var configuration = server.configuration
        change(&configuration)
        let client = RedisClient(configuration)
        let error = await failure { () throws(TintypeError) in try await client.get("key") }
        await server.stop()
        return error
    }

    @Test func silenceIsATimeOut() async throws {
        let error = try await failureOfGet { $0.commandTimeout = Self.short }
        #expect(error?.code == .timedOut && error?.message.contains("60 ms") == true)
    }

    @Test func halfAReplyIsATimeOut() async throws {
        let error = try await failureOfGet(.send("$5\r\nhel")) { $0.commandTimeout = Self.short }
        #expect(error?.code == .timedOut)
    }

    @Test func aServerThatDoesNotGreetIsATimeOut() async throws {
        let server = try await FakeRedis.start(answersHello: false) { _, _ in [] }
        var configuration = server.configuration
        configuration.connectTimeout = Self.short
        let client = RedisClient(configuration)
        let error = await failure { () throws(TintypeError) in try await client.get("key") }
        #expect(error?.code == .timedOut && error?.message == "no connection within 60 ms")
        #expect(error?.subject == configuration.name)
        await server.stop()
    }

    @Test(arguments: ["", "$5\r\nhel", "+O", "*2\r\n:1\r\n"])
    func aConnectionThatClosesInAReplyIsBroken(_ beginning: String) async throws {
        #expect(try await failureOfGet(.send(beginning), .close)?.code == .transport)
        #expect(try await failureOfGet(.send(beginning), .reset)?.code == .transport)
    }

    @Test(arguments: ["HTTP/1.1 200 OK\r\n\r\n", "\0\0\0\0\n", "$-7\r\n", "*1\r\n>0\r\n"])
    func otherProtocolsAreViolations(_ text: String) async throws {
        let error = try await failureOfGet(.send(text))
        #expect(error?.code == .transport && error?.message.contains("violated the protocol") == true)
    }

    @Test func aValueAboveTheLimitIsRefusedBeforeItArrives() async throws {
        let error = try await failureOfGet(.send("$1001\r\n")) { $0.maximumValueSize = 1000 }
        #expect(error?.code == .limitExceeded && error?.message.contains("1000 bytes") == true)
    }

    @Test(arguments: [":1\r\n", "*0\r\n", "+OK\r\n", "#t\r\n"])
    func aReplyOfAnotherTypeIsAnError(_ text: String) async throws {
        #expect(try await failureOfGet(.send(text))?.code == .transport)
    }

    @Test(arguments: ["MOVED 3999 127.0.0.1:6381", "ASK 3999 127.0.0.1:6381"])
    func aNodeOfAClusterIsNamed(_ text: String) async throws {
        let error = try await failureOfGet(.send("-\(text)\r\n"))
        #expect(error?.code == .badStatus && error?.message.contains("cluster, which is not supported") == true)
    }

    @Test func noConnectionIsRefusedAtOnceAndAgainDuringTheBackoff() async throws {
        let port = try ClosedPort()
        let client = RedisClient(.patient(port: try #require(try port.url.port)))
        for _ in 0..<3 {
            let error = await failure { () throws(TintypeError) in try await client.get("key") }
            #expect(error?.code == .unreachable && error?.message == "connection refused")
        }
    }

    @Test func aConnectionIsOpenedAgainAfterAViolation() async throws {
        let server = try await FakeRedis.start { command, connection in
            [.send(connection == 0 ? "garbage" + "\r\n" : "$3\r\nyes\r\n")]
        }
        let client = RedisClient(server.configuration)
        #expect(await failure { () throws(TintypeError) in try await client.get("key") }?.code == .transport)
        let value = try await retrying { () throws(TintypeError) in try await client.get("key") }
        #expect(value == Data("yes".utf8))
        await server.stop()
    }

    @Test func aLateReplyReachesNobody() async throws {
        let server = try await FakeRedis.start { command, connection in
            connection == 0 ? [] : [.send("$1\r\n\(command[1])\r\n")]
        }
        var configuration = server.configuration
        configuration.commandTimeout = Self.short
        let client = RedisClient(configuration)
        #expect(await failure { () throws(TintypeError) in try await client.get("a") }?.code == .timedOut)
        #expect(try await retrying { () throws(TintypeError) in try await client.get("b") } == Data("b".utf8))
        await server.stop()
    }

    @Test func aReplyToNoCommandClosesTheConnection() async throws {
        let server = try await FakeRedis.start { command, _ in
            let reply = "$1\r\n\(command[1])\r\n"
            return [.send(command[1] == "a" ? reply + "$5\r\nfalse\r\n" : reply)]
        }
        let client = RedisClient(server.configuration)
        #expect(try await client.get("a") == Data("a".utf8))
        #expect(try await retrying { () throws(TintypeError) in try await client.get("b") } == Data("b".utf8))
        await server.stop()
    }

    @Test func pushMessagesAndAttributesAreSkipped() async throws {
        let server = try await FakeRedis.start { command, _ in
            [.send(">2\r\n+invalidate\r\n*1\r\n+k\r\n|1\r\n+ttl\r\n:1\r\n$1\r\n\(command[1])\r\n>1\r\n+x\r\n")]
        }
        let client = RedisClient(server.configuration)
        for key in ["a", "b", "c"] { #expect(try await client.get(key) == Data(key.utf8)) }
        await server.stop()
    }

    @Test func aCancelledWaitDoesNotShiftTheRepliesOfOthers() async throws {
        let server = try await FakeRedis.start { command, _ in
            command[1] == "b" ? [.send("$1\r\na\r\n$1\r\nb\r\n")] : command[1] == "a" ? [] : [.send("$1\r\nc\r\n")]
        }
        let client = RedisClient(server.configuration)
        let cancelled = Task { await failure { () throws(TintypeError) in try await client.get("a") } }
        var commands = server.commands.makeAsyncIterator()
        #expect(await commands.next() == ["GET", "a"])
        cancelled.cancel()
        #expect(await cancelled.value?.code == .cancelled)
        #expect(try await client.get("b") == Data("b".utf8))
        #expect(try await client.get("c") == Data("c".utf8))
        await server.stop()
    }

    @Test func closingEndsAllWaits() async throws {
        let server = try await FakeRedis.start { _, _ in [] }
        let client = RedisClient(server.configuration)
        let waiting = Task { await failure { () throws(TintypeError) in try await client.get("a") } }
        var commands = server.commands.makeAsyncIterator()
        #expect(await commands.next() == ["GET", "a"])
        let events = client.events(on: ["channel"])
        client.close()
        #expect(await waiting.value?.code == .invalidated)
        #expect(await failure { () throws(TintypeError) in try await client.ping() }?.code == .invalidated)
        for await event in events { #expect(event == .subscribed) }
        await server.stop()
    }

    @Test func aRefusedPasswordIsInNoError() async throws {
        let server = try await FakeRedis.start(answersHello: false) { command, _ in
            [.send("-ERR unknown command '\(command[0])', with args beginning with: 'hidden'\r\n")]
        }
        var configuration = server.configuration
        configuration.password = "hidden"
        let client = RedisClient(configuration)
        let error = await failure { () throws(TintypeError) in try await client.get("key") }
        #expect(error?.message == "the server refuses to authenticate (ERR)")
        #expect(error.map { "\($0)".contains("hidden") } == false)
        await server.stop()
    }

    @Test func theNameOfAHostIsResolved() async throws {
        let server = try await FakeRedis.start { _, _ in [.send("+PONG\r\n")] }
        var configuration = server.configuration
        guard case .host(_, let port) = configuration.address else {
            Issue.record("the server has no port: \(configuration.address)")
            return
        }
        configuration.address = .host("localhost", port: port)
        // The server listens for IPv4 alone; the name may have an IPv6 address too, which refuses.
        try await RedisClient(configuration).ping()
        await server.stop()
    }

    @Test func aNameThatCannotBeResolvedIsUnreachable() async throws {
        // The C library refuses a name with a space without asking a server.
        var configuration = RedisConfiguration.patient(port: 6379)
        configuration.address = .host("no host", port: 6379)
        let client = RedisClient(configuration)
        let error = await failure { () throws(TintypeError) in try await client.ping() }
        #expect(error?.code == .unreachable && error?.message.hasPrefix("the name cannot be resolved") == true)
    }

    @Test func aSubscriptionReturnsAfterALostConnection() async throws {
        let server = try await FakeRedis.start { command, connection in
            let confirmation = ">3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n"
            let message = ">3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\n\(connection)\r\n"
            return connection < 2 ? [.send(confirmation + message), .close] : [.send(confirmation + message)]
        }
        let client = RedisClient(server.configuration)
        var events = client.events(on: ["c"]).makeAsyncIterator()
        for connection in 0...2 {
            #expect(await events.next() == .subscribed)
            #expect(await events.next() == .message(Data("\(connection)".utf8), channel: "c"))
        }
        await server.stop()
    }
}
