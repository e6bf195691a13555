import AsyncHTTPClient
import Foundation
import Logging
import NIOCore
import NIOPosix
import TintypeCore

/// The clients of one downloader: usually one, and one more for each set of other time-outs, guards or proxies. With a
/// guard, each host has its own.
final class ClientPool: Sendable {
    private struct State: Sendable {
        var clients = ClientList(maximumCount: 8)
        /// The clients of one host each.
        var pinned = ClientList(maximumCount: 64)
        /// The servers for which the first client has the wrong version of HTTP: usually none.
        var versions = HostVersions()

        mutating func change<Value>(_ isPinned: Bool, _ body: (inout ClientList) -> Value) -> Value {
            isPinned ? body(&pinned) : body(&clients)
        }
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
    /// - Throws: ``TintypeCore/TintypeError/Code/insecure`` when a trusted certificate cannot be read;
    ///   ``TintypeCore/TintypeError/Code/unreachable`` when the proxy in the environment cannot be used.
    @inline(never)
    func client(
        for url: URL, over route: ConnectionRoute = .unrestricted, _ settings: TransferSettings
    ) throws(TintypeError) -> PooledClient {
        let version = url.isEncrypted ? state.withLock { $0.versions.isEmpty ? nil : $0.versions[url.server] } : nil
        let traits = try settings.traits(for: url, over: route, version: version, environment: environment)
        let isPinned = traits.pin != nil
        if let client = state.withLock({ $0.change(isPinned) { $0.use(traits) } }) { return client }
        let created = try PooledClient(traits, clock)
        // Another thread may have been faster. Clients are released after unlocking.
        let (client, evicted) = state.withLock { $0.change(isPinned) { $0.add(created) } }
        _ = evicted
        return client
    }

    /// Uses another client for the server of a URL from now on, which chose another version of HTTP.
    func record(_ version: NegotiatedVersion, of url: URL) {
        state.withLock { $0.versions.record(version, of: url.server) }
    }

    /// Returns routes to one host, the most recently used one first. Its connections may be open, and its address was
    /// reachable.
    func sorted(_ routes: [ConnectionRoute]) -> [ConnectionRoute] {
        guard routes.count > 1 else { return routes }
        let recent = state.withLock { $0.pinned.clients.reversed().compactMap(\.traits.pin) }
        let ranks = routes.map { route in route.pin.flatMap { recent.firstIndex(of: $0) } ?? .max }
        // The offset keeps the order of routes that were not used.
        return routes.indices.sorted { (ranks[$0], $0) < (ranks[$1], $1) }.map { routes[$0] }
    }

    /// Whether requests for a URL go through a proxy, which resolves names.
    ///
    /// - Throws: ``TintypeCore/TintypeError/Code/unreachable`` when the proxy in the environment cannot be used.
    func usesProxy(for url: URL, _ settings: TransferSettings) throws(TintypeError) -> Bool {
        try settings.configuration.proxy.proxy(for: url, environment: environment) != nil
    }
}

extension URL {
    /// The host and the port, which identify a server.
    fileprivate var server: String { "\(clientHost.lowercased()):\(effectivePort)" }
}

/// A limited number of clients, the most recently used one last. The least recently used one is released first.
private struct ClientList: Sendable {
    let maximumCount: Int
    private(set) var clients: [PooledClient] = []

    init(maximumCount: Int) {
        self.maximumCount = maximumCount
    }

    /// Returns the client with some traits, which becomes the most recently used one.
    mutating func use(_ traits: ClientTraits) -> PooledClient? {
        guard let index = clients.lastIndex(where: { $0.traits == traits }) else { return nil }
        if index != clients.count - 1 { clients.append(clients.remove(at: index)) }
        return clients.last
    }

    /// Adds a client, unless there is one with the same traits.
    ///
    /// - Returns: The client in the list, and a client to release.
    mutating func add(_ client: PooledClient) -> (client: PooledClient, released: PooledClient?) {
        if let present = use(client.traits) { return (present, client) }
        clients.append(client)
        return (client, clients.count > maximumCount ? clients.removeFirst() : nil)
    }
}

/// An HTTP client with its connections. Unless it belongs to the program, it shuts down when it is released: when neither
/// the pool nor a response uses it.
final class PooledClient: Sendable {
    private static let group = MultiThreadedEventLoopGroup.singleton
    private static let ownLoops = Array(group.makeIterator())

    let traits: ClientTraits
    let log: ConnectionLog
    private let client: HTTPClient
    private let loops: [any EventLoop]
    private let shares: Locked<LoopShares>

    init(_ traits: ClientTraits, _ clock: TransferClock) throws(TintypeError) {
        self.traits = traits
        let log = ConnectionLog(seesAllRequests: traits.client == nil, uptime: clock.uptime)
        if let client = traits.client {
            self.client = client
            loops = Array(client.eventLoopGroup.makeIterator())
        } else {
            client = HTTPClient(
                eventLoopGroupProvider: .shared(Self.group), configuration: try traits.configuration(recordingTo: log),
                backgroundActivityLogger: log.logger)
            loops = Self.ownLoops
        }
        shares = Locked(LoopShares(loopCount: loops.count))
        self.log = log
    }

    deinit {
        guard !belongsToProgram else { return }
        // The client must be shut down before it is released, which takes longer than this deinitializer may.
        let client = client
        Task { try? await client.shutdown() }
    }

    /// Whether the program created the client, may use it for other requests, and shuts it down.
    var belongsToProgram: Bool { traits.client != nil }

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
            request: request, delegate: delegate, eventLoop: .delegate(on: loops[loop]), logger: delegate.logger)
        delegate.state.withLock { $0.attach(task) }?.cancel()
        // The client reports only through the task that a request body cannot be sent, or that the program has shut it down.
        if request.body != nil || belongsToProgram {
            task.futureResult.whenFailure { delegate.didReceiveError(task: task, $0) }
        }
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
