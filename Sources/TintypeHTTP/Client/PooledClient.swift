import AsyncHTTPClient
import Logging
import TintypeCore

/// A client with its connections. It ends when the last transfer that uses it has.
final class PooledClient: Sendable {
    let traits: ClientTraits
    let client: HTTPClient
    let log: ConnectionLog

    init(_ traits: ClientTraits, _ clock: TransferClock) throws(TintypeError) {
        self.traits = traits
        let log = ConnectionLog(uptime: clock.uptime)
        client = HTTPClient(
            eventLoopGroupProvider: .singleton, configuration: try traits.configuration(),
            backgroundActivityLogger: log.logger)
        self.log = log
    }

    deinit {
        // The client insists on an orderly end, which takes longer than this one's.
        let client = client
        Task { try? await client.shutdown() }
    }
}
