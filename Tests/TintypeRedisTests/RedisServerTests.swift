import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeShared
import TintypeTesting

@testable import TintypeRedis

/// Real servers judge the client: Debian's Redis, and Valkey where it is installed.
@Suite(.timeLimited) struct RedisServerTests {
    @Test(.enabled(if: RedisProgram.isRequired)) func redisAndValkeyAreInstalledForCI() {
        #expect(RedisProgram.installed == RedisProgram.allCases)
    }

    @Test(arguments: RedisProgram.installed) func valuesOfAnyBytesComeBack(_ program: RedisProgram) async throws {
        try await withServer(program) { server async throws in
            let client = RedisClient(server.configuration)
            let largest = Data((0..<65_536).map { UInt8(truncatingIfNeeded: $0) })
            for value in [Data(), Data("\r\n$5\r\n\0".utf8), largest] {
                #expect(try await client.set("key", to: value))
                #expect(try await client.get("key") == value)
            }
            #expect(try await client.get("other") == nil)
            #expect(try await client.exists("key"))
            #expect(try await client.exists("other") == false)
            #expect(try await client.unlink("key"))
            #expect(try await client.unlink("key") == false)
            try await client.ping()
        }
    }

    @Test(arguments: RedisProgram.installed) func aKeyLivesAsLongAsItIsTold(_ program: RedisProgram) async throws {
        try await withServer(program) { server async throws in
            let (client, driver) = (RedisClient(server.configuration), RedisDriver([server.configuration]))
            let ages: [(Duration?, ClosedRange<Int64>)] = [
                (nil, -1 ... -1), (.seconds(3600), 3_000_000...3_600_000),
                (.seconds(Int64.max), 3_162_000_000_000...3_162_240_000_000),
            ]
            for (timeToLive, range) in ages {
                _ = try await client.set("key", to: Data("value".utf8), timeToLive: timeToLive)
                let reply = try await driver.reply(to: RESPCommand("PTTL", "key"), .control, from: 0)
                guard case .integer(let age) = reply else {
                    Issue.record("\(reply)")
                    return
                }
                #expect(range.contains(age))
            }
            _ = try await client.set("key", to: Data("value".utf8), timeToLive: .nanoseconds(1))
            while try await client.get("key") != nil { await Task.yield() }
        }
    }

    @Test(arguments: RedisProgram.installed) func anExistingKeyIsLeftAlone(_ program: RedisProgram) async throws {
        try await withServer(program) { server async throws in
            let client = RedisClient(server.configuration)
            #expect(try await client.set("key", to: Data("a".utf8), onlyIfAbsent: true))
            #expect(try await client.set("key", to: Data("b".utf8), onlyIfAbsent: true) == false)
            #expect(try await client.get("key") == Data("a".utf8))
        }
    }

    @Test(arguments: RedisProgram.installed) func aLeaseHasOneHolder(_ program: RedisProgram) async throws {
        try await withServer(program) { server async throws in
            let store = try RedisStore([server.configuration])
            let driver = RedisDriver([server.configuration])
            let token = try #require(try await store.acquireLease("lease", for: .seconds(1000)))
            #expect(try await store.acquireLease("lease", for: .seconds(1000)) == nil)
            // The first release finds no script on the server, the second one does.
            for _ in 0..<2 {
                try await store.releaseLease("lease", .random())
                #expect(try await store.contains("lease"))
            }
            try await store.releaseLease("lease", token)
            #expect(try await store.contains("lease") == false)
            #expect(try await store.acquireLease("lease", for: .seconds(1000)) != nil)
            // The server knows the script by the digest that the client has computed.
            let scripts = try await driver.reply(to: RESPCommand("INFO", "commandstats"), .control, from: 0).text ?? ""
            #expect(scripts.firstMatch(of: /cmdstat_evalsha:calls=3,.*failed_calls=(1|0)/) != nil, "\(scripts)")
            #expect(scripts.contains("cmdstat_eval:calls=1,"))
        }
    }

    @Test(arguments: RedisProgram.installed) func aThousandConcurrentCommandsGetTheirOwnReplies(
        _ program: RedisProgram
    ) async throws {
        try await withServer(program) { server async throws in
            let store = try RedisStore([server.configuration])
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<1000 {
                    group.addTask { () async throws in
                        let value = Data(String(repeating: "\(number) ", count: 1 + number % 50).utf8)
                        try await store.store(value, for: "key\(number)", timeToLive: .seconds(1000))
                        #expect(try await store.value(for: "key\(number)") == value)
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test(arguments: RedisProgram.installed) func cancellationsDoNotShiftReplies(_ program: RedisProgram) async throws {
        try await withServer(program) { server async throws in
            let client = RedisClient(server.configuration)
            for number in 0..<20 { _ = try await client.set("\(number)", to: Data("\(number)".utf8)) }
            for _ in 0..<20 {
                let tasks = (0..<100).map { number in
                    Task { () throws(TintypeError) in try await client.get("\(number % 20)") }
                }
                for number in stride(from: 0, to: 100, by: 3) { tasks[number].cancel() }
                for (number, task) in tasks.enumerated() {
                    do {
                        #expect(try await task.value == Data("\(number % 20)".utf8))
                    } catch let error as TintypeError {
                        #expect(number % 3 == 0 && error.code == .cancelled)
                    }
                }
            }
        }
    }

    @Test(arguments: RedisProgram.installed) func messagesArriveAlsoAfterARestart(_ program: RedisProgram) async throws
    {
        var server = try await RedisServer.start(program)
        let client = RedisClient(server.configuration)
        var events = client.events(on: ["purge", "other"]).makeAsyncIterator()
        #expect(await events.next() == .subscribed)
        #expect(try await client.publish(Data("one\r\n".utf8), to: "purge") == 1)
        #expect(await events.next() == .message(Data("one\r\n".utf8), channel: "purge"))
        await server.stop()
        server = try await RedisServer.start(program, port: server.port)
        #expect(await events.next() == .subscribed)
        let count = try await retrying { () throws(TintypeError) in
            try await client.publish(Data("two".utf8), to: "other")
        }
        #expect(count == 1)
        #expect(await events.next() == .message(Data("two".utf8), channel: "other"))
        await server.stop()
    }

    @Test(arguments: RedisProgram.installed) func aSubscriptionEndsWithItsReceiver(_ program: RedisProgram) async throws
    {
        try await withServer(program) { server async throws in
            let client = RedisClient(server.configuration)
            do {
                var events = client.events(on: ["purge"]).makeAsyncIterator()
                #expect(await events.next() == .subscribed)
            }
            while try await client.publish(Data(), to: "purge") > 0 { await Task.yield() }
        }
    }

    @Test(arguments: RedisProgram.installed) func aServerMayRestart(_ program: RedisProgram) async throws {
        var server = try await RedisServer.start(program)
        let client = RedisClient(server.configuration)
        #expect(try await client.set("key", to: Data("value".utf8)))
        await server.stop()
        #expect(await failure { () throws(TintypeError) in try await client.get("key") } != nil)
        server = try await RedisServer.start(program, port: server.port)
        #expect(try await retrying { () throws(TintypeError) in try await client.get("key") } == nil)
        #expect(try await client.set("key", to: Data("value".utf8)))
        await server.stop()
    }

    @Test(arguments: RedisProgram.installed) func aStoppedServerIsATimeOut(_ program: RedisProgram) async throws {
        try await withServer(program) { server async throws in
            var configuration = server.configuration
            (configuration.connectTimeout, configuration.commandTimeout) = (.milliseconds(200), .milliseconds(50))
            let client = RedisClient(configuration)
            try await retrying { () throws(TintypeError) in try await client.ping() }
            server.signal(SIGSTOP)
            let start = ContinuousClock.now
            for _ in 0..<20 {
                let errors = await withTaskGroup(of: TintypeError?.self) { group in
                    for _ in 0..<10 {
                        group.addTask { await failure { () throws(TintypeError) in try await client.get("key") } }
                    }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                #expect(errors.allSatisfy { $0?.code == .timedOut })
            }
            // 20 times 250 ms at most, of which the backoff saves the most.
            #expect(start.duration(to: .now) < .seconds(60))
            server.signal(SIGCONT)
            try await retrying { () throws(TintypeError) in try await client.ping() }
        }
    }

    @Test(arguments: RedisProgram.installed) func aSocketOfTheFileSystemWorks(_ program: RedisProgram) async throws {
        try await withServer(program) { server async throws in
            var configuration = try RedisConfiguration(url: "unix://\(server.socket)?db=3")
            (configuration.connectTimeout, configuration.commandTimeout) = (.seconds(300), .seconds(300))
            #expect(try await RedisClient(configuration).set("key", to: Data("value".utf8)))
            // Another database has not the key.
            #expect(try await RedisClient(server.configuration).get("key") == nil)
            configuration.database = 99
            let error = await failure { [configuration] () throws(TintypeError) in
                try await RedisClient(configuration).get("key")
            }
            #expect(error?.message == "the server refuses database 99 (ERR)")
        }
    }

    @Test(arguments: RedisProgram.installed) func severalServersShareTheKeys(_ program: RedisProgram) async throws {
        var servers: [RedisServer] = []
        for _ in 0..<3 { servers.append(try await RedisServer.start(program)) }
        let store = try RedisStore(servers.map(\.configuration))
        for number in 0..<60 { try await store.store(Data("\(number)".utf8), for: "\(number)", timeToLive: nil) }
        await servers[1].stop()
        var failureCount = 0
        for number in 0..<60 {
            let isLost = store.client(for: "\(number)").configuration == servers[1].configuration
            let error = await failure { () throws(TintypeError) in
                #expect(try await store.value(for: "\(number)") == Data("\(number)".utf8))
            }
            #expect((error != nil) == isLost)
            failureCount += isLost ? 1 : 0
        }
        #expect((5...40).contains(failureCount))
        await servers[0].stop()
        await servers[2].stop()
    }
}
