import AsyncHTTPClient
import Foundation
import Logging
import NIOCore
import NIOPosix
import TintypeCore

/// The clients of one downloader: usually one, and one more for each set of other time-outs, guards or proxies.
final class ClientPool: Sendable {
    /// The maximum number of clients in the pool. The least recently used one is released first.
    private static let maximumCount = 8

    private struct State: Sendable {
        /// The most recently used client is the last.
        var clients: [PooledClient] = []
    }

    private let state = Locked(State())
    private let clock: TransferClock
    /// The environment variables that name proxies: usually none.
    private let environment = ProxySetting.variables(in: ProcessInfo.processInfo.environment)

    init(_ clock: TransferClock) {
        self.clock = clock
    }

    /// Returns the client for a URL, and creates it if there is none with the same traits.
    ///
    /// Never inlined: its values would be part of the caller's async frame, which lives until the response arrives.
    ///
    /// - Throws: ``TintypeCore/TintypeError/Code/insecure`` when a trusted certificate cannot be read.
    @inline(never)
    func client(for url: URL, _ settings: TransferSettings) throws(TintypeError) -> PooledClient {
        let traits = settings.traits(for: url, environment: environment)
        if let client = state.withLock({ Self.find(traits, &$0) }) { return client }
        let created = try PooledClient(traits, clock)
        // Another thread may have been faster. Clients are released after unlocking.
        let (client, evicted) = state.withLock { state -> (PooledClient, PooledClient?) in
            if let client = Self.find(traits, &state) { return (client, created) }
            state.clients.append(created)
            let evicted = state.clients.count > Self.maximumCount ? state.clients.removeFirst() : nil
            return (created, evicted)
        }
        _ = evicted
        return client
    }

    private static func find(_ traits: ClientTraits, _ state: inout State) -> PooledClient? {
        guard let index = state.clients.lastIndex(where: { $0.traits == traits }) else { return nil }
        if index != state.clients.count - 1 { state.clients.append(state.clients.remove(at: index)) }
        return state.clients.last
    }
}

/// An HTTP client with its connections. It shuts down when it is released: when neither the pool nor a response uses
/// it.
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
        // The client must be shut down before it is released, which takes longer than this deinitializer may.
        let client = client
        Task { try? await client.shutdown() }
    }

    /// Sends a request, and reports its response to `delegate`.
    ///
    /// The exchange runs on one event loop: the client takes a connection of that loop if there is one. Otherwise an
    /// exchange over HTTP/2 mostly uses two loops. That costs more, and data between the loops is lost when a
    /// connection breaks.
    ///
    /// - Returns: The index of the event loop, for ``leave(_:)``.
    func send(_ request: HTTPClient.Request, to delegate: ResponseDelegate) -> Int {
        let loop = shares.withLock { $0.enter() }
        let task = client.execute(
            request: request, delegate: delegate, eventLoop: .delegate(on: Self.loops[loop]), logger: delegate.logger)
        delegate.attach(task)
        // If a request body cannot be sent, the client reports that only through the task.
        if request.body != nil { task.futureResult.whenFailure { delegate.didReceiveError(task: task, $0) } }
        return loop
    }

    /// Counts an exchange on an event loop as finished.
    func leave(_ loop: Int) {
        shares.withLock { $0.leave(loop) }
    }
}

/// The number of exchanges on each of a few event loops.
struct LoopShares: Sendable {
    private var counts: [Int]

    /// - Parameter loopCount: At least 1.
    init(loopCount: Int) {
        counts = Array(repeating: 0, count: loopCount)
    }

    /// Assigns an exchange to the loop with the fewest, the first of several, and returns its index. O(number of
    /// loops).
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
