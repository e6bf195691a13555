import TintypeCore

/// The clients of a downloader: normally one. More come with requests that want other time-outs, guards or proxies.
final class ClientPool: Sendable {
    /// Clients that are kept; the longest unused goes first.
    private static let maximumCount = 8

    private struct State: Sendable {
        var clients: [PooledClient] = []
    }

    private let state = Locked(State())
    private let clock: TransferClock

    init(_ clock: TransferClock) {
        self.clock = clock
    }

    func client(_ traits: ClientTraits) throws(TintypeError) -> PooledClient {
        if let client = state.withLock({ Self.find(traits, &$0) }) { return client }
        let made = try PooledClient(traits, clock)
        // Another may have been quicker. What is not used dies when the lock is free.
        let (client, evicted) = state.withLock { state -> (PooledClient, PooledClient?) in
            if let client = Self.find(traits, &state) { return (client, made) }
            state.clients.append(made)
            let evicted = state.clients.count > Self.maximumCount ? state.clients.removeFirst() : nil
            return (made, evicted)
        }
        _ = evicted
        return client
    }

    private static func find(_ traits: ClientTraits, _ state: inout State) -> PooledClient? {
        guard let place = state.clients.lastIndex(where: { $0.traits == traits }) else { return nil }
        if place != state.clients.count - 1 { state.clients.append(state.clients.remove(at: place)) }
        return state.clients.last
    }
}
