import Logging
import TintypeCore

/// Which request went over which connection of a client: the client below says so to the loggers that it is given, and
/// nowhere else.
///
/// Of one for a request only the connection's name is heard (``ConnectionListener``); of the client's own, the little that is
/// said at the level of debugging. If another version should say it differently, nothing is known, and nothing breaks.
final class ConnectionLog: Sendable {
    /// One request's use of a connection.
    struct Use: Sendable {
        /// Whether another request had used it before.
        let isReused: Bool
        /// How long the request waited for it to stand: resolving, connecting, and TLS; `nil` when it had been used before.
        let connecting: Duration?
    }

    /// More are not followed.
    private static let maximumCount = 10_000

    private let used = Locked<Set<String>>([])
    private let uptime: @Sendable () -> Duration

    init(uptime: @escaping @Sendable () -> Duration) {
        self.uptime = uptime
    }

    var now: Duration { uptime() }

    static let idKey = "ahc-connection-id"

    /// For what is said of no request: connections that are gone are forgotten.
    var logger: Logger {
        LogReader.logger(.debug) { event, _ in
            guard event.message.description == "connection closed",
                let id = event.metadata?[Self.idKey]?.description
            else { return }
            self.used.withLock { used in _ = used.remove(id) }
        }
    }

    /// Takes down that a request begins to use a connection.
    ///
    /// - Parameter sent: when the request was made.
    /// - Returns: `nil` when that is not known.
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

/// Hears which connection the logger of a request is given to, and nothing that is said to it.
struct ConnectionListener: LogHandler {
    let feed: WireFeed

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
        set { if key == ConnectionLog.idKey, let newValue { feed.took(connection: newValue.description) } }
    }

    func log(event: LogEvent) {}
}

/// A log handler that hands on what is said instead of writing it.
struct LogReader: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level
    private let read: @Sendable (LogEvent, Logger.Metadata) -> Void

    /// - Parameter read: is given each event, and the metadata of the logger it was said to.
    init(_ level: Logger.Level, _ read: @escaping @Sendable (LogEvent, Logger.Metadata) -> Void) {
        logLevel = level
        self.read = read
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        read(event, metadata)
    }

    /// A logger that says everything of a level to `read`.
    static func logger(
        _ level: Logger.Level, _ read: @escaping @Sendable (LogEvent, Logger.Metadata) -> Void
    ) -> Logger {
        Logger(label: "tintype.http", factory: { _ in LogReader(level, read) })
    }
}
