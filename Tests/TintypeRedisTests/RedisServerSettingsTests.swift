import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeRedis

/// Passwords, limits, clusters and TLS, judged by Debian's Redis.
@Suite(.timeLimited, .enabled(if: RedisProgram.hasRedis)) struct RedisServerSettingsTests {
    private func failureOfGet(_ configuration: RedisConfiguration) async -> TintypeError? {
        let client = RedisClient(configuration)
        return await failure { () throws(TintypeError) in try await client.get("key") }
    }

    @Test func aPasswordIsNecessaryAndRight() async throws {
        try await withServer(.redis, "--requirepass", "se cret'\"") { server async throws in
            var configuration = server.configuration
            #expect(await failureOfGet(configuration)?.message == "the server requires a password (NOAUTH)")
            configuration.password = "wrong"
            let error = await failureOfGet(configuration)
            #expect(error?.message == "the server refuses the user name or the password (WRONGPASS)")
            #expect(error?.code == .badStatus && "\(error as Any)".contains("wrong") == false)
            configuration.password = "se cret'\""
            #expect(await failureOfGet(configuration) == nil)
        }
    }

    @Test func usersHaveTheirOwnPasswords() async throws {
        try await withServer(.redis, "--user", "ann", "on", ">pw", "~a*", "+@all", "--user", "default", "off") {
            server async throws in
            var configuration = server.configuration
            (configuration.user, configuration.password) = ("ann", "pw")
            let client = RedisClient(configuration)
            #expect(try await client.get("a") == nil)
            #expect(await failure { () throws(TintypeError) in try await client.get("b") }?.code == .badStatus)
            configuration.user = "bob"
            #expect(await failureOfGet(configuration)?.message.contains("WRONGPASS") == true)
        }
    }

    @Test func aServerWithoutHELLOSpeaksTheOldProtocol() async throws {
        let server = try await RedisServer.start(.redis, "--requirepass", "pw", "--rename-command", "HELLO", "")
        var configuration = server.configuration
        (configuration.password, configuration.database) = ("pw", 2)
        let client = RedisClient(configuration)
        #expect(try await client.get("key") == nil)
        #expect(try await client.set("key", to: Data("value".utf8)))
        #expect(try await client.get("key") == Data("value".utf8))
        var events = client.events(on: ["a", "b"]).makeAsyncIterator()
        #expect(await events.next() == .subscribed)
        try await client.publish(Data("text".utf8), to: "b")
        #expect(await events.next() == .message(Data("text".utf8), channel: "b"))
        configuration.password = "hidden"
        let error = await failureOfGet(configuration)
        #expect(error?.message == "the server refuses the user name or the password (WRONGPASS)")
        await server.stop()
    }

    /// The command `DEBUG PROTOCOL` of Redis sends a value of each type.
    @Test func everyTypeOfTheServerIsDecoded() async throws {
        try await withServer(.redis, "--enable-debug-command", "yes") { server async throws in
            let driver = RedisDriver([server.configuration])
            let numbers = (0...2).map { RESPValue.integer(Int64($0)) }
            let pairs = zip(numbers, [false, true, false]).map { RESPValue.Entry($0, .boolean($1)) }
            let values: [(String, RESPValue)] = [
                ("string", .bulk(Data("Hello World".utf8))), ("integer", .integer(12_345)), ("double", .double(3.141)),
                ("null", .null), ("array", .array(numbers)), ("set", .set(numbers)), ("map", .map(pairs)),
                ("attrib", .bulk(Data("Some real reply following the attribute".utf8))),
                ("push", .bulk(Data("Some real reply following the push reply".utf8))),
                ("verbatim", .verbatim(format: "txt", Data("This is a verbatim\nstring".utf8))),
                ("true", .boolean(true)), ("false", .boolean(false)),
                ("bignum", .bigNumber("1234567999999999999999999999999999999")),
            ]
            for (name, value) in values {
                let reply = try await driver.reply(to: RESPCommand("DEBUG", "PROTOCOL", .text(name)), .control, from: 0)
                #expect(reply == value, "\(name)")
            }
        }
    }

    @Test func aServerOfAClusterIsNamed() async throws {
        // Without it, the port of the cluster is 10,000 higher, which may be too high.
        let port = String(try await RedisServer.freePort())
        try await withServer(.redis, "--cluster-enabled", "yes", "--cluster-port", port) { server async throws in
            let error = await failureOfGet(server.configuration)
            #expect(error?.code == .badStatus && error?.message.contains("CLUSTERDOWN") == true)
            #expect(error?.message.contains("cluster, which is not supported") == true)
        }
    }

    @Test func aFullServerIsExplained() async throws {
        try await withServer(.redis, "--maxmemory", "1") { server async throws in
            let client = RedisClient(server.configuration)
            let error = await failure { () throws(TintypeError) in try await client.set("key", to: Data("value".utf8)) }
            #expect(error?.code == .badStatus && error?.message.contains("maxmemory-policy") == true)
        }
    }

    @Test func valuesAboveTheLimitAreRefusedOnBothSides() async throws {
        try await withServer(.redis) { server async throws in
            let large = RedisClient(server.configuration)
            #expect(try await large.set("large", to: Data(count: 2000)))
            var configuration = server.configuration
            configuration.maximumValueSize = 1000
            let small = RedisClient(configuration)
            #expect(await failure { () throws(TintypeError) in try await small.get("large") }?.code == .limitExceeded)
            let error = await failure { () throws(TintypeError) in try await small.set("a", to: Data(count: 1001)) }
            #expect(error?.code == .limitExceeded && error?.stage == .store)
            #expect(try await retrying { () throws(TintypeError) in try await small.set("a", to: Data(count: 1000)) })
        }
    }

    // MARK: TLS

    /// Starts a server with TLS for 127.0.0.1 and `localhost`.
    ///
    /// - Parameter clients: The certificates that clients need; `nil` accepts clients without one.
    private func startWithTLS(
        _ identity: OriginIdentity, clients: OriginIdentity? = nil
    ) async throws -> RedisServer {
        try await RedisServer.start(.redis, isSecure: true) { folder in
            let (certificate, key) = (folder.appending(path: "certificate"), folder.appending(path: "key"))
            let trusted = folder.appending(path: "trusted")
            try Data(identity.certificates.utf8).write(to: certificate)
            try Data(identity.key.utf8).write(to: key)
            try Data((clients ?? identity).certificates.utf8).write(to: trusted)
            return [
                "--tls-cert-file", certificate.path, "--tls-key-file", key.path, "--tls-ca-cert-file", trusted.path,
                "--tls-auth-clients", clients == nil ? "no" : "yes",
            ]
        }
    }

    @Test func aVerifiedServerIsUsed() async throws {
        let identity = try TestCertificate.make()
        let server = try await startWithTLS(identity)
        var configuration = server.configuration
        configuration.tls = RedisTLS(trustedCertificates: identity.certificates)
        for host in ["127.0.0.1", "localhost"] {
            configuration.address = .host(host, port: server.port)
            let client = RedisClient(configuration)
            let value = Data((0..<60_000).map { UInt8(truncatingIfNeeded: $0 * 7) })
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<50 {
                    group.addTask { () async throws in
                        #expect(try await client.set("\(number)", to: value + Data("\(number)".utf8)))
                        #expect(try await client.get("\(number)") == value + Data("\(number)".utf8))
                    }
                }
                try await group.waitForAll()
            }
        }
        await server.stop()
    }

    @Test func otherServersAreRefused() async throws {
        let identity = try TestCertificate.make(for: "cache.example")
        let server = try await startWithTLS(identity)
        var configuration = server.configuration
        configuration.tls = RedisTLS(trustedCertificates: identity.certificates)
        for host in ["127.0.0.1", "localhost"] {
            configuration.address = .host(host, port: server.port)
            let error = await failureOfGet(configuration)
            #expect(error?.code == .insecure && error?.message.contains("mismatch") == true, "\(error as Any)")
        }
        // Neither the system nor another authority trusts the certificate.
        for trusted in [nil, try TestCertificate.make().certificates] {
            configuration.tls = RedisTLS(trustedCertificates: trusted)
            let error = await failureOfGet(configuration)
            #expect(error?.code == .insecure && error?.message.contains("self-signed") == true, "\(error as Any)")
        }
        configuration.tls = RedisTLS(trustedCertificates: "no certificate")
        #expect(await failureOfGet(configuration)?.code == .insecure)
        await server.stop()
    }

    @Test func aClientProvesWhoItIs() async throws {
        let (identity, own) = (try TestCertificate.make(), try TestCertificate.make(for: "client.example"))
        let server = try await startWithTLS(identity, clients: own)
        var configuration = server.configuration
        configuration.tls = RedisTLS(trustedCertificates: identity.certificates)
        #expect(await failureOfGet(configuration)?.code == .insecure)
        configuration.tls?.certificates = own.certificates
        #expect(await failureOfGet(configuration)?.message == "a certificate of the client needs its private key")
        configuration.tls?.privateKey = own.key
        #expect(await failureOfGet(configuration) == nil)
        await server.stop()
    }

    @Test func aServerWithoutTLSIsRefused() async throws {
        try await withServer(.redis) { server async throws in
            var configuration = server.configuration
            configuration.tls = RedisTLS()
            configuration.connectTimeout = .milliseconds(500)
            let error = await failureOfGet(configuration)
            #expect(error?.code == .insecure || error?.code == .timedOut || error?.code == .transport)
        }
    }
}
