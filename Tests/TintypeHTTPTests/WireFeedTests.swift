import Foundation
import HTTPTestSupport
import NIOCore
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeHTTP

/// Responses whose readers are slower than their origin.
@Suite(.timeLimit(.minutes(15))) struct WireFeedTests {
    private static let body = Data((0..<9 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })

    /// Has an answer come until it is too much to go on.
    private func withFullFeed(_ body: (WireFeed) async throws -> Void) async throws {
        try await Fixture.withOrigin { origin in
            origin.serve("/a", .image(Self.body, type: "image/png"))
            let traits = ClientTraits(DownloaderConfiguration.patient, HTTPOptions())
            let client = try PooledClient(traits, .system)
            let feed = WireFeed(client.log)
            let loop = client.send(try DownloadRequest(url: origin.url("/a")).clientRequest, to: feed)
            _ = try await feed.head()
            while !feed.state.withLock({ $0.isFull }) { await Task.yield() }
            try await body(feed)
            client.leave(loop)
        }
    }

    @Test func aBodyGoesOnWhenItsReaderComes() async throws {
        try await withFullFeed { feed in
            var found = Data()
            while case let pieces = try await feed.pieces(), !pieces.isEmpty {
                for piece in pieces { found.append(contentsOf: piece.readableBytesView) }
            }
            #expect(found == Self.body)
        }
    }

    @Test func aBodyThatWaitsCanBeGivenUp() async throws {
        try await withFullFeed { feed in
            feed.giveUp()
            await #expect(throws: TintypeError.self) { try await feed.pieces() }
        }
    }

    @Test func whoIsCancelledIsNotLeftWaiting() async throws {
        try await Fixture.withOrigin { origin in
            origin.serve("/a", .picture.with(\.ending, .silence(after: 1000)))
            let traits = ClientTraits(DownloaderConfiguration.patient, HTTPOptions())
            let response = WireResponse(
                to: try DownloadRequest(url: origin.url("/a")).clientRequest, over: try PooledClient(traits, .system))
            _ = try await response.head()
            let reader = Task { while try await !response.pieces().isEmpty {} }
            reader.cancel()
            await #expect(throws: TintypeError.self) { try await reader.value }
        }
    }
}
