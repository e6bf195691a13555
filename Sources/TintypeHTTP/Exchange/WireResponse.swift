import AsyncHTTPClient
import NIOCore
import TintypeCore

/// A response on its way, as long as someone wants it: its connection is let go of with this.
final class WireResponse: Sendable {
    private let feed: WireFeed
    /// Closes its connections when no one needs it any more.
    private let client: PooledClient
    private let loop: Int

    /// Sends a request.
    init(to request: HTTPClient.Request, over client: PooledClient) {
        self.client = client
        feed = WireFeed(client.log)
        loop = client.send(request, to: feed)
    }

    deinit {
        feed.giveUp()
        client.leave(loop)
    }

    /// When the request was sent.
    var sent: Duration { feed.sent }

    /// The connection that it comes over; `nil` while that is not known.
    var connection: ConnectionLog.Use? { feed.connection }

    func head() async throws -> WireFeedState.Head { try await feed.head() }

    func pieces() async throws -> [ByteBuffer] { try await feed.pieces() }
}
