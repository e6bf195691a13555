import Foundation
import HTTPTestSupport
import NIOCore
import NIOEmbedded
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeHTTP

/// When a client with many connections is replaced.
@Suite(.timeLimit(.minutes(15))) struct ClientPoolTests {
    private static let limit = ClientPool.openConnectionLimit

    private let pool = ClientPool(.system)

    private func client(transfersAtOnce: Int = 6) throws -> PooledClient {
        var configuration = DownloaderConfiguration.patient
        configuration.maximumConcurrentDownloads = transfersAtOnce
        let settings = TransferSettings(configuration: configuration, options: HTTPOptions(), byteLimit: 1)
        return try pool.client(for: try #require(URL(string: "http://127.0.0.1/")), settings)
    }

    private func open(_ count: Int, of client: PooledClient) -> [EmbeddedChannel] {
        (0..<count).map { _ in
            let channel = EmbeddedChannel()
            client.log.countWhileOpen(channel)
            return channel
        }
    }

    private func close(_ channels: [EmbeddedChannel]) throws {
        for channel in channels { _ = try channel.finish(acceptAlreadyClosed: true) }
    }

    @Test func aClientWithTooManyConnectionsIsReplaced() throws {
        let first = try client()
        var channels = open(Self.limit, of: first)
        #expect(try client() === first)
        channels += open(1, of: first)
        let second = try client()
        #expect(second !== first && second.log.openConnectionCount == 0)
        #expect(try client() === second)
        try close(channels)
        #expect(try client() === second)
    }

    @Test func closedConnectionsDoNotCount() throws {
        let first = try client()
        for _ in 0..<10 * Self.limit { try close(open(1, of: first)) }
        #expect(first.log.openConnectionCount == 0)
        #expect(try client() === first)
    }

    @Test func aDownloaderWithManyTransfersKeepsTheirConnections() throws {
        let first = try client(transfersAtOnce: 1000)
        var channels = open(1000, of: first)
        #expect(try client(transfersAtOnce: 1000) === first)
        channels += open(1, of: first)
        #expect(try client(transfersAtOnce: 1000) !== first)
        try close(channels)
    }

    /// A response that runs still uses it.
    @Test func aReplacedClientIsReleased() throws {
        var first: PooledClient? = try client()
        weak let released = first
        let channels = first.map { open(Self.limit + 1, of: $0) } ?? []
        _ = try client()
        #expect(released != nil)
        first = nil
        #expect(released == nil)
        try close(channels)
    }

    @Test func idleConnectionsToManyServersAreClosed() async throws {
        let downloader = Downloader.patient
        var origins: [Origin] = []
        for _ in 0..<Self.limit + 6 {
            let origin = try await Origin.start()
            origin.serve("/a", response: .testImage)
            origins.append(origin)
            _ = try await Fixture.load(.url(origin.url("/a")), downloader)
        }
        let last = try #require(origins.last)
        let (newest, oldest) = (
            try await Fixture.load(.url(last.url("/a")), downloader),
            try await Fixture.load(.url(origins[0].url("/a")), downloader)
        )
        #expect(newest.metrics?.isConnectionReused == true && oldest.metrics?.isConnectionReused == false)
        while origins.prefix(Self.limit).reduce(0, { $0 + $1.openConnections }) > 1 { await Task.yield() }
        for origin in origins { await origin.stop() }
    }
}
