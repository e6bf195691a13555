import AsyncHTTPClient
import Logging
import NIOCore
import NIOPosix
import TintypeCore

/// A client with its connections. It ends when the last transfer that uses it has.
final class PooledClient: Sendable {
    private static let group = MultiThreadedEventLoopGroup.singleton
    private static let loops = Array(group.makeIterator())

    let traits: ClientTraits
    let log: ConnectionLog
    private let client: HTTPClient
    private let shares = Locked(LoopShares(loopCount: loops.count))

    init(_ traits: ClientTraits, _ clock: TransferClock) throws(TintypeError) {
        self.traits = traits
        let log = ConnectionLog(uptime: clock.uptime)
        client = HTTPClient(
            eventLoopGroupProvider: .shared(Self.group), configuration: try traits.configuration(),
            backgroundActivityLogger: log.logger)
        self.log = log
    }

    deinit {
        // The client insists on an orderly end, which takes longer than this one's.
        let client = client
        Task { try? await client.shutdown() }
    }

    /// Sends a request, and has `feed` told of its response.
    ///
    /// The client takes a connection of the loop that it is to speak on, if there is one. Two loops for one exchange, which
    /// those over HTTP/2 mostly have, not only cost more: what has arrived when a connection breaks may be lost between them.
    ///
    /// - Returns: what to give back to ``leave(_:)``.
    func send(_ request: HTTPClient.Request, to feed: WireFeed) -> Int {
        let loop = shares.withLock { $0.enter() }
        let task = client.execute(
            request: request, delegate: feed, eventLoop: .delegate(on: Self.loops[loop]), logger: feed.logger)
        feed.attach(task)
        // That a body could not be sent to its end is told by the task alone.
        if request.body != nil { task.futureResult.whenFailure { feed.didReceiveError(task: task, $0) } }
        return loop
    }

    /// An exchange is over.
    func leave(_ loop: Int) {
        shares.withLock { $0.leave(loop) }
    }
}
