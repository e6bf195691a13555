import AsyncHTTPClient
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import TintypeCore

/// The clients of one downloader: usually one, and an additional one for each different combination of timeouts, guard
/// and proxy. With a guard, each host has its own client.
///
/// A client keeps its connections open for a while, and has no limit on their number. So a client with too many of them is
/// replaced: responses that run keep it, and its idle connections are closed after the last of these responses.
final class ClientPool: Sendable {
    /// The number of open connections with which a client is replaced, unless the downloader runs more transfers at once.
    /// A replaced client has opened at least as many, so that replacing it costs little. Together with those that slow
    /// responses keep, the clients stay below 1024 descriptors, the usual limit of a process.
    static let openConnectionLimit = 64

    private struct State: Sendable {
        var clients = ClientList(maximumCount: 8)
        /// The clients of one host each.
        var pinned = ClientList(maximumCount: 64)
        /// The servers for which the first client has the wrong version of HTTP: usually none.
        var versions = HostVersions()
        var names = ResolvedNames()

        mutating func change<Value>(_ isPinned: Bool, _ body: (inout ClientList) -> Value) -> Value {
            isPinned ? body(&pinned) : body(&clients)
        }
    }

    private let state = Locked(State())
    private let clock: TransferClock
    /// The environment variables that name proxies: usually none.
    private let environment = ProxySetting.variables(in: ProcessInfo.processInfo.environment)
    private let lookups: HostLookups

    init(_ clock: TransferClock, lookups: HostLookups = HostResolver.unguardedLookups) {
        self.clock = clock
        self.lookups = lookups
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
        let version = url.isEncrypted ? version(for: url) : nil
        let traits = try settings.traits(for: url, over: route, version: version, environment: environment)
        let isPinned = traits.pin != nil
        // As many as one host may have, so that requests to one host never replace its client.
        let limit = max(Self.openConnectionLimit, settings.configuration.maximumConcurrentDownloads)
        if let client = state.withLock({ $0.change(isPinned) { $0.use(traits, limit) } }) { return client }
        let created = try PooledClient(traits, clock)
        // Another thread may have been faster. Clients are released after unlocking.
        let (client, released) = state.withLock { $0.change(isPinned) { $0.add(created, limit) } }
        _ = released
        return client
    }

    private func version(for url: URL) -> NegotiatedVersion? {
        guard !state.withLock({ $0.versions.isEmpty }) else { return nil }
        let (server, now) = (url.server, clock.uptime())
        return state.withLock { $0.versions.version(of: server, at: now) }
    }

    /// Uses another client for the server of a URL from now on, if its version of HTTP explains an error of a request.
    func record(_ error: any Error, of url: URL, over client: PooledClient) {
        if let other = error as? OtherVersion {
            state.withLock { $0.versions.record(other.negotiated, of: url.server) }
        } else if url.isEncrypted, client.offersHTTP2, error.isConnectTimeout {
            let now = clock.uptime()
            state.withLock { $0.versions.recordTimeout(of: url.server, at: now) }
        }
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

    // MARK: Names

    /// Returns the name in a URL, if it must be resolved before a request for the URL reaches the client; `nil` if it is an
    /// address, was resolved a moment ago, or is resolved by a proxy or the client of the program.
    ///
    /// The client resolves the names of each event loop one after another, so one whose name server never answers would
    /// delay all others of the process.
    ///
    /// - Throws: ``TintypeCore/TintypeError/Code/unreachable`` when the proxy in the environment cannot be used.
    @inline(never)
    func unresolvedName(in url: URL, _ settings: TransferSettings) throws(TintypeError) -> String? {
        let host = url.clientHost
        guard HostName.isLookedUp(host), settings.configuration.client == nil else { return nil }
        let now = clock.uptime()
        guard !state.withLock({ $0.names.contains(host, at: now) }) else { return nil }
        return try usesProxy(for: url, settings) ? nil : host
    }

    /// Records that a name needs no lookup for a while, because a request used an open connection to its host: a slow name
    /// server must not delay such requests.
    @inline(never)
    func keepName(in url: URL) {
        let host = url.clientHost
        guard HostName.isLookedUp(host) else { return }
        let now = clock.uptime()
        state.withLock { $0.names.insert(host, at: now) }
    }

    /// Waits until a name is resolved. The client resolves it once more. The name server has just answered, and will do so quickly again.
    ///
    /// - Parameter limit: The longest wait.
    /// - Throws: The errors of ``HostLookups``, except the one for too many lookups: a program with that many transfers at
    ///   once leaves these names to the client.
    func resolve(_ name: String, within limit: Duration, for job: JobContext) async throws {
        do {
            _ = try await lookups.addresses(of: name, within: limit, clock, at: job.priority)
        } catch let error as TintypeError where error.underlying is HostLookups.TooMany {
            return
        }
        let now = clock.uptime()
        state.withLock { $0.names.insert(name, at: now) }
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

    /// Returns the client with some traits, which becomes the most recently used one; `nil` if there is none, or if it has
    /// more than `limit` open connections.
    mutating func use(_ traits: ClientTraits, _ limit: Int) -> PooledClient? {
        guard let index = index(of: traits), clients[index].log.openConnectionCount <= limit else { return nil }
        if index != clients.count - 1 { clients.append(clients.remove(at: index)) }
        return clients.last
    }

    /// Adds a client, unless there is a usable one with the same traits.
    ///
    /// - Returns: The client in the list, and a client to release.
    mutating func add(_ client: PooledClient, _ limit: Int) -> (client: PooledClient, released: PooledClient?) {
        if let present = use(client.traits, limit) { return (present, client) }
        let replaced = index(of: client.traits).map { clients.remove(at: $0) }
        clients.append(client)
        return (client, replaced ?? (clients.count > maximumCount ? clients.removeFirst() : nil))
    }

    private func index(of traits: ClientTraits) -> Int? { clients.lastIndex { $0.traits == traits } }
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
    private let version: VersionCheck
    private let http2Loops = HTTP2Loops()

    init(_ traits: ClientTraits, _ clock: TransferClock) throws(TintypeError) {
        self.traits = traits
        let log = ConnectionLog(seesAllRequests: traits.client == nil, uptime: clock.uptime)
        let version = VersionCheck(traits.versions)
        if let client = traits.client {
            self.client = client
            loops = Array(client.eventLoopGroup.makeIterator())
        } else {
            let configuration = try traits.configuration(recordingTo: log, http2Loops, version)
            client = HTTPClient(
                eventLoopGroupProvider: .shared(Self.group), configuration: configuration,
                backgroundActivityLogger: log.logger)
            loops = Self.ownLoops
        }
        shares = Locked(LoopShares(loopCount: loops.count))
        self.version = version
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

    /// Whether servers may choose HTTP/2.
    var offersHTTP2: Bool { !belongsToProgram && traits.versions != .http1 }

    /// Sends a request, and reports its response to `delegate`.
    ///
    /// The exchange runs on one event loop: the client takes a connection of that loop if there is one. Otherwise an
    /// exchange over HTTP/2 mostly uses two loops. That costs more, and data between the loops is lost when a
    /// connection breaks. So a request with a body uses the loop of its connection (``HTTP2Loops``), unless the
    /// client belongs to the program: its connections are not known.
    ///
    /// - Returns: The index of the event loop, for ``leave(_:)``.
    func send(_ request: HTTPClient.Request, to delegate: ResponseDelegate) -> Int {
        let required = request.body == nil ? nil : requiredLoop(of: request)
        let loop = shares.withLock { $0.enter(required) }
        let task = client.execute(
            request: request, delegate: delegate,
            eventLoop: required == nil ? .delegate(on: loops[loop]) : .delegateAndChannel(on: loops[loop]),
            logger: delegate.logger)
        delegate.state.withLock { $0.attach(task) }?.cancel()
        // The client reports two errors only through its task: it cannot send the request body, or the program has shut
        // it down.
        if request.body != nil || belongsToProgram {
            task.futureResult.whenFailure { delegate.didReceiveError(task: task, $0) }
        }
        return loop
    }

    /// Returns the index of the event loop that a request with a body and its connection must share; `nil` if they need
    /// not share one.
    ///
    /// Without a connection to the server, requests of different threads still choose the same loop, and so share the
    /// next connection.
    private func requiredLoop(of request: HTTPClient.Request) -> Int? {
        // The client keeps no connection of HTTP/1.1 that it opened on a required loop.
        guard request.url.isEncrypted, offersHTTP2, version.negotiated != .http1 else { return nil }
        let authority = request.authority
        let present = http2Loops.loop(of: authority).flatMap { loop in loops.firstIndex { $0 === loop } }
        return present ?? Int(authority.hashValue.magnitude % UInt(loops.count))
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

    /// Assigns an exchange to the event loop with the fewest exchanges, the first one among equals. Returns the index
    /// of the loop. O(number of loops).
    ///
    /// - Parameter required: The index of the only loop that the exchange can use; `nil` if it can use all.
    mutating func enter(_ required: Int? = nil) -> Int {
        var loop = required ?? 0
        if required == nil { for other in counts.indices where counts[other] < counts[loop] { loop = other } }
        counts[loop] += 1
        return loop
    }

    mutating func leave(_ loop: Int) {
        counts[loop] -= 1
    }
}

/// The event loops of the open HTTP/2 connections of one client. Callable from any thread.
///
/// A request with a body must be on the event loop of its connection. There, the client sends the head, the body and the
/// end of a request in one turn of the loop, so that nothing can happen to the stream in between. From another loop, the
/// body and its end arrive later, one by one:
/// - If the stream has closed by then, the client forgets to complete the promise for the end of the request. The callbacks
///   of its future retain the future and the request forever.
/// - If the response ends before the request does, and the stream becomes writable then, the client ends the process.
final class HTTP2Loops: Sendable {
    /// The most recent connection to each server, by the authority of its first request.
    private let connections = Locked<[String: any Channel]>([:])

    /// Returns the event loop of the connection to a server; `nil` if none is open.
    func loop(of authority: String) -> (any EventLoop)? {
        connections.withLock { $0[authority]?.eventLoop }
    }

    /// Records a connection until it is closed.
    func record(_ connection: any Channel, to authority: String) {
        connections.withLock { $0[authority] = connection }
        connection.closeFuture.whenComplete { _ in
            self.connections.withLock { connections in
                if connections[authority] === connection { connections[authority] = nil }
            }
        }
    }
}

extension HTTPClient.Request {
    /// The host, with the port unless it is that of the scheme, as the client writes it into `:authority`.
    ///
    /// If a program's own `Host` field names several servers, they share an entry in ``HTTP2Loops``. That costs a
    /// connection at most.
    var authority: String {
        headers.first(name: "host") ?? (url.effectivePort == 443 ? host : "\(host):\(url.effectivePort)")
    }
}
