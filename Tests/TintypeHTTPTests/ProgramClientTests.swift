import AsyncHTTPClient
import Foundation
import HTTPTestSupport
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeHTTP

/// ``DownloaderConfiguration/client``.
@Suite(.timeLimit(.minutes(15))) struct ProgramClientTests {
    /// Runs a test with a client on an event loop of its own, and shuts both down after it.
    private func withClient(
        isPrepared: Bool = true, _ change: (inout HTTPClient.Configuration) -> Void = { _ in },
        _ body: (DownloaderConfiguration, HTTPClient) async throws -> Void
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        var configuration = HTTPClient.Configuration()
        // A busy machine may need longer than a minute between two requests.
        configuration.connectionPool.idleTimeout = .hours(1)
        configuration.timeout.connect = .minutes(5)
        change(&configuration)
        if isPrepared { configuration.prepareForDownloads() }
        let client = HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration)
        var downloads = DownloaderConfiguration.patient
        downloads.client = client
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(downloads, client))
        } catch {
            result = .failure(error)
        }
        // The test may have shut it down.
        try? await client.shutdown()
        try await group.shutdownGracefully()
        return try result.get()
    }

    /// The program's own request uses the connection that the transfer opened, after the downloader was released.
    @Test func transfersAndTheProgramShareItsConnections() async throws {
        let connections = Shared(0)
        try await Fixture.withOrigin { origin in
            origin.serve("/a", response: .testImage)
            try await withClient({ configuration in
                configuration.http1_1ConnectionDebugInitializer = { channel in
                    connections.withLock { $0 += 1 }
                    return channel.eventLoop.makeSucceededVoidFuture()
                }
            }) { configuration, client in
                let data = try await Fixture.load(.url(origin.url("/a")), Downloader(configuration)).data
                #expect(data == Fixture.body)
                let status = try await client.get(url: origin.url("/a").absoluteString).get().status
                #expect(status == .ok && connections.now == 1 && origin.requestCount() == 2)
            }
        }
    }

    @Test func aClientThatWasShutDownIsAnError() async throws {
        try await Fixture.withOrigin { origin in
            origin.serve("/a", response: .testImage)
            try await withClient { configuration, client in
                let downloader = Downloader(configuration)
                _ = try await Fixture.load(.url(origin.url("/a")), downloader)
                try await client.shutdown()
                let error = await Fixture.expect(.invalidated) {
                    try await Fixture.load(.url(origin.url("/a")), downloader)
                }
                #expect(error?.message.contains("shut down") == true && origin.requestCount() == 1)
            }
        }
    }

    private static let conflicts: [(name: String, change: @Sendable (inout DownloaderConfiguration) -> Void)] = [
        ("guard", { $0.serverGuard = ServerGuard(ports: nil, addresses: [.loopback]) }),
        ("proxy", { $0.proxy = .server(ProxyServer(host: "127.0.0.1", port: 1)) }),
    ]

    /// The client would resolve the name itself, or connect directly.
    @Test(arguments: conflicts.indices)
    func aGuardOrAProxyRefusesTheClient(_ index: Int) async throws {
        let conflict = Self.conflicts[index]
        try await Fixture.withOrigin { origin in
            origin.serve("/a", response: .testImage)
            try await withClient { configuration, _ in
                var configuration = configuration
                conflict.change(&configuration)
                let error = await Fixture.expect(.refusedRequest) {
                    try await Fixture.load(.url(origin.url("/a")), Downloader(configuration))
                }
                #expect(error?.message.contains(conflict.name) == true && origin.requestCount() == 0)
            }
        }
    }

    @Test func aGuardOfOneRequestRefusesTheClient() async throws {
        var options = HTTPOptions()
        options.serverGuard = ServerGuard(ports: nil, addresses: [.loopback])
        try await Fixture.withOrigin { origin in
            try await withClient { configuration, _ in
                await Fixture.expect(.refusedRequest) {
                    try await Fixture.load(.url(origin.url("/a")), Downloader(configuration), options: options)
                }
                #expect(origin.requestCount() == 0)
            }
        }
    }

    @Test func theDownloaderFollowsTheRedirectsOfAPreparedClient() async throws {
        try await Fixture.withOrigin { origin in
            origin.serve("/a", response: .redirect(to: "/b"))
            origin.serve("/b", response: .testImage)
            try await withClient { configuration, _ in
                let loaded = try await Fixture.load(.url(origin.url("/a")), Downloader(configuration))
                #expect(loaded.data == Fixture.body && loaded.metrics?.redirects == 1)
            }
        }
    }

    @Test func aClientThatFollowsRedirectsItselfIsAnError() async throws {
        try await Fixture.withOrigin { origin in
            origin.serve("/a", response: .redirect(to: "/b"))
            origin.serve("/b", response: .testImage)
            try await withClient(isPrepared: false) { configuration, _ in
                let downloader = Downloader(configuration)
                let error = await Fixture.expect(.refusedResponse) {
                    try await Fixture.load(.url(origin.url("/a")), downloader)
                }
                #expect(error?.message.contains("prepareForDownloads") == true)
                let data = try await Fixture.load(.url(origin.url("/b")), downloader).data
                #expect(data == Fixture.body)
            }
        }
    }

    /// The client would end the process.
    @Test func aPreparedClientIsGuardedAgainstHostileResponses() async throws {
        try await Fixture.withOrigin { origin in
            origin.serve("/a", response: .testImage.setting(\.statusLine, to: "HTTP/1.1 000 X"))
            try await withClient { configuration, _ in
                await Fixture.expect(.transport) {
                    try await Fixture.load(.url(origin.url("/a")), Downloader(configuration))
                }
            }
        }
    }

    @Test func theLimitOnBytesStaysInForce() async throws {
        try await Fixture.withOrigin { origin in
            origin.serve("/a", response: .testImage)
            try await withClient { configuration, _ in
                await Fixture.expect(.limitExceeded) {
                    try await Fixture.load(.url(origin.url("/a")), Downloader(configuration), limit: 1000)
                }
            }
        }
    }

    @Test func anUncheckedHostReplacesTheTLSSettingsOfTheClient() async throws {
        var options = HTTPOptions()
        options.acceptsUncheckedCertificate = true
        try await Fixture.withOrigin(identity: try TestCertificate.make()) { origin in
            origin.serve("/a", response: .testImage)
            try await withClient { configuration, _ in
                let downloader = Downloader(configuration)
                let source = ImageSource.url(origin.url("/a"))
                await Fixture.expect(.insecure) { try await Fixture.load(source, downloader) }
                let data = try await Fixture.load(source, downloader, options: options).data
                #expect(data == Fixture.body)
            }
        }
    }

    /// The program may have used the connection before.
    @Test func itIsUnknownWhetherAConnectionIsNew() async throws {
        try await Fixture.withOrigin { origin in
            origin.serve("/a", response: .testImage)
            try await withClient { configuration, _ in
                let downloader = Downloader(configuration)
                let metrics = try await Fixture.load(.url(origin.url("/a")), downloader).metrics
                let first = try #require(metrics)
                #expect(first.isConnectionReused == nil && first.connecting == nil)
                _ = try await MetricsTests.metricsOfReuse {
                    try await Fixture.load(.url(origin.url("/a")), downloader).metrics
                }
            }
        }
    }
}

/// The connections that a ``ConnectionLog`` remembers.
@Suite struct UsedConnectionsTests {
    @Test func aConnectionIsNewOnce() {
        var used = UsedConnections()
        let isNew = ["a", "b", "a"].map { used.insert($0) }
        #expect(isNew == [true, true, false])
        used.remove("a")
        let isNewAgain = used.insert("a")
        #expect(isNewAgain)
    }

    /// A client of the program does not tell which connections were closed.
    @Test func onlyTheOnesThatWereUsedLastAreRemembered() {
        var used = UsedConnections()
        let count = UsedConnections.generationSize
        for number in 0..<3 * count {
            _ = used.insert("\(number)")
            _ = used.insert("often")
        }
        let isNew = ["often", "0", "\(3 * count - 1)"].map { used.insert($0) }
        #expect(isNew == [false, true, false])
    }
}
