import Foundation
import TintypeCore

/// What the transfers of one downloader share.
final class TransferServices: Sendable {
    let clients: ClientPool
    let line: TransferLine
    let starts: Locked<TokenBucket>
    /// The variables that name proxies: mostly none.
    let environment: [String: String]

    init(_ configuration: DownloaderConfiguration) {
        clients = ClientPool(configuration.clock)
        line = TransferLine(configuration)
        starts = Locked(TokenBucket(configuration.startRate))
        environment = ProxySetting.variables(in: ProcessInfo.processInfo.environment)
    }

    /// Whether starts are limited at all.
    var hasStartRate: Bool { starts.withLock { $0.rate != nil } }

    func follow(_ configuration: DownloaderConfiguration) {
        line.follow(configuration)
        starts.withLock { $0.rate = configuration.startRate }
    }

    /// The client below that speaks with a URL, by the traits that hold for it.
    ///
    /// Not inlined, since who asks waits for the client, with all that is in its frame.
    @inline(never)
    func client(for url: URL, _ settings: TransferSettings) throws(TintypeError) -> PooledClient {
        try clients.client(settings.traits(for: url, environment))
    }
}
