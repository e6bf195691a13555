import Logging
import TintypeCore

/// Records the connection of each request of a client, and whether the connection was new.
///
/// The client reports this only to its loggers: the identifier of a connection to the logger of the request
/// (``ConnectionIDReader``), and closed connections to the client's own logger, at the level `debug`. If another
/// version of the client logs differently, uses of connections are unknown and nothing else changes.
final class ConnectionLog: Sendable {
    /// One request's use of a connection.
    struct Use: Sendable {
        /// Whether another request used the connection before.
        let isReused: Bool
        /// How long the request waited for the connection to be established: name resolution, TCP and TLS. `nil` for a
        /// reused connection.
        let connecting: Duration?
    }

    /// The maximum number of recorded connections. Further ones are not recorded.
    private static let maximumCount = 10_000

    /// The key of a connection's identifier in the metadata of a logger.
    fileprivate static let idKey = "ahc-connection-id"

    /// The identifiers of the open connections that were used.
    private let used = Locked<Set<String>>([])
    private let uptime: @Sendable () -> Duration

    init(uptime: @escaping @Sendable () -> Duration) {
        self.uptime = uptime
    }

    var now: Duration { uptime() }

    /// The client's own logger: removes connections that were closed.
    var logger: Logger {
        Logger(label: "tintype.http") { _ in
            ClosedConnectionReader { id in self.used.withLock { used in _ = used.remove(id) } }
        }
    }

    /// Records that a request begins to use a connection.
    ///
    /// - Parameters:
    ///   - id: The client's identifier of the connection.
    ///   - sent: The uptime at which the request was sent.
    /// - Returns: `nil` when too many connections are open, so that this one is not recorded.
    func use(_ id: String, since sent: Duration) -> Use? {
        let isFirst: Bool? = used.withLock { used in
            if used.contains(id) { return false }
            guard used.count < Self.maximumCount else { return nil }
            used.insert(id)
            return true
        }
        guard let isFirst else { return nil }
        return Use(isReused: !isFirst, connecting: isFirst ? now - sent : nil)
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
