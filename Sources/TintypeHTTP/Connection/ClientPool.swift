import AsyncHTTPClient
import Logging
import NIOCore
import NIOPosix
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

    /// Sends a request, and has `delegate` told of its response.
    ///
    /// The client takes a connection of the loop that it is to speak on, if there is one. Two loops for one exchange, which
    /// those over HTTP/2 mostly have, not only cost more: what has arrived when a connection breaks may be lost between them.
    ///
    /// - Returns: what to give back to ``leave(_:)``.
    func send(_ request: HTTPClient.Request, to delegate: ResponseDelegate) -> Int {
        let loop = shares.withLock { $0.enter() }
        let task = client.execute(
            request: request, delegate: delegate, eventLoop: .delegate(on: Self.loops[loop]), logger: delegate.logger)
        delegate.attach(task)
        // That a body could not be sent to its end is told by the task alone.
        if request.body != nil { task.futureResult.whenFailure { delegate.didReceiveError(task: task, $0) } }
        return loop
    }

    /// An exchange is over.
    func leave(_ loop: Int) {
        shares.withLock { $0.leave(loop) }
    }
}

/// How many exchanges each of a few event loops has to do with.
struct LoopShares: Sendable {
    private var counts: [Int]

    /// - Parameter loopCount: at least one.
    init(loopCount: Int) {
        counts = Array(repeating: 0, count: loopCount)
    }

    /// Gives one to the loop that has the fewest, the first of several. O(number of loops).
    mutating func enter() -> Int {
        var fewest = 0
        for loop in counts.indices where counts[loop] < counts[fewest] { fewest = loop }
        counts[fewest] += 1
        return fewest
    }

    mutating func leave(_ loop: Int) {
        counts[loop] -= 1
    }
}
