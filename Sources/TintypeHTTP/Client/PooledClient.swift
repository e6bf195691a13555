import AsyncHTTPClient
import NIOCore
import NIOPosix
import TintypeCore

/// A client with its connections. It ends when the last transfer that uses it has.
///
/// Its connections share one event loop, so that nothing of an answer crosses from thread to thread before it is handed
/// over: other clients have other loops.
final class PooledClient: Sendable {
    let client: HTTPClient
    let connections: CurrentConnection
    let executor: LoopExecutor
    let uptime: @Sendable () -> Duration

    init(_ traits: ClientTraits, _ clock: TransferClock) throws(TintypeError) {
        let loop = NIOSingletons.posixEventLoopGroup.next()
        let connections = CurrentConnection(loop)
        var configuration = try traits.configuration()
        let prepare: @Sendable (any Channel) -> EventLoopFuture<Void> = { [uptime = clock.uptime] channel in
            channel.eventLoop.makeCompletedFuture {
                try traits.check(channel)
                try connections.probe(channel, ready: uptime())
            }
        }
        configuration.http1_1ConnectionDebugInitializer = prepare
        configuration.http2ConnectionDebugInitializer = prepare
        client = HTTPClient(eventLoopGroupProvider: .shared(loop), configuration: configuration)
        self.connections = connections
        executor = LoopExecutor(connections)
        uptime = clock.uptime
    }

    deinit {
        // The client insists on an orderly end, which takes longer than this one's.
        let client = client
        Task { try? await client.shutdown() }
    }
}
