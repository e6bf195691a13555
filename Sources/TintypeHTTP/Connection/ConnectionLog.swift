import Foundation
import Logging
import NIOCore
import NIOPosix
import Synchronization
import TintypeCore

/// Records the connection of each request of a client, and whether the connection was new.
///
/// The client reports this only to its loggers: the identifier of a connection to the logger of the request
/// (``ConnectionIDReader``), and closed connections to the client's own logger, at the level `debug`. If another
/// version of the client logs differently, uses of connections are unknown and nothing else changes.
final class ConnectionLog: Sendable {
    /// One request's use of a connection.
    struct Use: Sendable {
        /// Whether another request used the connection before; `nil` if that is unknown.
        let isReused: Bool?
        /// How long the request waited for the connection to be established: name resolution, TCP and TLS. `nil` unless the
        /// connection is new.
        let connecting: Duration?
        /// The round-trip time that the kernel measured while it was established; `nil` if that is unknown.
        var roundTrip: Duration?
    }

    /// The key of a connection's identifier in the metadata of a logger.
    fileprivate static let idKey = "ahc-connection-id"

    private let used = Locked(UsedConnections())
    /// The round-trip times of connections that were established a moment ago, by event loop.
    private let fresh = Locked<[ObjectIdentifier: Duration]>([:])
    /// An atomic, because every transfer reads it.
    private let openCount = Atomic(0)
    private let seesAllRequests: Bool
    private let uptime: @Sendable () -> Duration

    /// - Parameter seesAllRequests: Whether the client sends no other requests. Otherwise, a connection that is seen for the
    ///   first time may have been used before.
    init(seesAllRequests: Bool = true, uptime: @escaping @Sendable () -> Duration) {
        self.seesAllRequests = seesAllRequests
        self.uptime = uptime
    }

    var now: Duration { uptime() }

    /// The client's own logger: removes connections that were closed.
    var logger: Logger {
        Logger(label: "tintype.http") { _ in
            ClosedConnectionReader { id in self.used.withLock { $0.remove(id) } }
        }
    }

    /// Records that a request begins to use a connection.
    ///
    /// - Parameters:
    ///   - id: The client's identifier of the connection.
    ///   - sent: The uptime at which the request was sent.
    func use(_ id: String, since sent: Duration) -> Use {
        let isFirst = used.withLock { $0.insert(id) }
        guard isFirst else { return Use(isReused: true, connecting: nil) }
        guard seesAllRequests else { return Use(isReused: nil, connecting: nil) }
        let loop = MultiThreadedEventLoopGroup.currentEventLoop.map(ObjectIdentifier.init)
        let roundTrip = loop.flatMap { loop in fresh.withLock { $0.removeValue(forKey: loop) } }
        return Use(isReused: false, connecting: now - sent, roundTrip: roundTrip)
    }

    /// The number of connections that are open, busy or idle. An HTTP/2 connection counts once the server has sent its
    /// settings.
    var openConnectionCount: Int { openCount.load(ordering: .relaxed) }

    /// Counts a connection as open until it is closed.
    func countWhileOpen(_ channel: any Channel) {
        openCount.wrappingAdd(1, ordering: .relaxed)
        channel.closeFuture.whenComplete { _ in self.openCount.wrappingSubtract(1, ordering: .relaxed) }
    }

    /// Records the round-trip time of a connection of HTTP/1.1 that was established just now.
    ///
    /// The client begins the first request on it within the same turn of its event loop, so the next new connection that is
    /// used on the loop is this one. A connection that no request waits for is forgotten.
    func recordRoundTrip(of channel: any Channel) {
        guard let roundTrip = channel.roundTrip else { return }
        let loop = ObjectIdentifier(channel.eventLoop)
        fresh.withLock { $0[loop] = roundTrip }
        channel.eventLoop.execute { self.fresh.withLock { _ = $0.removeValue(forKey: loop) } }
    }
}

extension Channel {
    /// The smoothed round-trip time of a TCP connection, by the kernel (`TCP_INFO`, tcp(7)); `nil` on systems other than
    /// Linux. To be read on the event loop.
    fileprivate var roundTrip: Duration? {
        #if os(Linux)
        guard let socket = self as? any SocketOptionProvider else { return nil }
        var microseconds: UInt32?
        // The future is complete on the event loop.
        socket.getTCPInfo().assumeIsolated().whenSuccess { microseconds = $0.tcpi_rtt }
        return microseconds.map { .microseconds(Int64($0)) }
        #else
        return nil
        #endif
    }
}

/// The identifiers of connections that were used: those that are open, as far as the client tells, or else the ones that
/// were used last.
///
/// A client of the program reports closed connections to its own logger only, so two generations limit the number.
struct UsedConnections: Sendable {
    /// The maximum number of identifiers in each generation.
    static let generationSize = 5_000

    private var recent: Set<String> = []
    private var earlier: Set<String> = []

    /// Adds a connection.
    ///
    /// - Returns: Whether it was not used before.
    mutating func insert(_ id: String) -> Bool {
        if recent.contains(id) { return false }
        let isNew = earlier.remove(id) == nil
        if recent.count >= Self.generationSize { (earlier, recent) = (recent, []) }
        recent.insert(id)
        return isNew
    }

    mutating func remove(_ id: String) {
        if recent.remove(id) == nil { earlier.remove(id) }
    }
}

/// The log handler of one request: reads the identifier of its connection from the metadata, and ignores all messages.
struct ConnectionIDReader: LogHandler {
    let delegate: ResponseDelegate

    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }

    var logLevel: Logger.Level {
        get { .critical }
        set {}
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set { if key == ConnectionLog.idKey, let newValue { delegate.didTakeConnection(id: newValue.description) } }
    }

    func log(event: LogEvent) {}
}

/// The log handler of a client: reports the identifiers of connections that were closed, and ignores all other
/// messages.
private struct ClosedConnectionReader: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.debug
    private let onClose: @Sendable (String) -> Void

    init(onClose: @escaping @Sendable (String) -> Void) {
        self.onClose = onClose
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        guard event.message.description == "connection closed",
            let id = event.metadata?[ConnectionLog.idKey]?.description
        else { return }
        onClose(id)
    }
}
