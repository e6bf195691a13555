import AsyncHTTPClient
import Logging
import NIOCore
import TintypeCore

/// A response on its way, as long as someone wants it: its connection is let go of with this.
final class WireResponse: Sendable {
    private let feed: WireFeed
    /// Closes its connections when no one needs it any more.
    private let client: PooledClient

    /// Sends a request.
    init(to request: HTTPClient.Request, over client: PooledClient, logger: Logger) {
        self.client = client
        feed = WireFeed(uptime: client.log.uptime)
        feed.begin(client.client.execute(request: request, delegate: feed, eventLoop: .indifferent, logger: logger))
    }

    deinit {
        feed.giveUp()
    }

    func head() async throws -> WireFeedState.Head { try await feed.head() }

    func pieces() async throws -> [ByteBuffer] { try await feed.pieces() }
}
