import Logging
import TintypeCore

/// When the connections of a client were opened, and which request went over which: the client below says so in its log,
/// and nowhere else.
///
/// If another version should say it differently, nothing is known, and nothing breaks.
final class ConnectionLog: Sendable {
    /// One request's use of a connection.
    struct Use: Sendable {
        /// Whether another request had used it before.
        let isReused: Bool
        /// Resolving, connecting, and TLS; `nil` when it had been open before.
        let connecting: Duration?
    }

    private struct Connection: Sendable {
        let opened: Duration
        var ready: Duration?
        var isUsed = false
    }

    /// More are not followed.
    private static let maximumCount = 10_000

    private let connections = Locked<[String: Connection]>([:])
    private let uptime: @Sendable () -> Duration

    init(uptime: @escaping @Sendable () -> Duration) {
        self.uptime = uptime
    }

    /// For what is said of no request.
    var logger: Logger {
        LogReader.logger(.trace) { event, _ in self.noticed(event) }
    }

    static let idKey = "ahc-connection-id"
    private static let versionKey = "ahc-http-version"

    /// After the word that a connection is being opened, the first with a protocol says that it is open. Timers speak of
    /// connections even when they are closed.
    private func noticed(_ event: LogEvent) {
        guard let metadata = event.metadata, let id = metadata[Self.idKey]?.description else { return }
        let now = uptime()
        let isOpening = event.message.description.hasPrefix("Opening")
        let isOpen = metadata[Self.versionKey] != nil
        let isOver = metadata["ahc-error"] != nil || isOpen && event.message.description.contains("closed")
        connections.withLock { connections in
            guard !isOver else { return connections[id] = nil }
            guard let connection = connections[id] else {
                if isOpening, connections.count < Self.maximumCount { connections[id] = Connection(opened: now) }
                return
            }
            if isOpen, connection.ready == nil { connections[id]?.ready = now }
        }
    }

    func use(_ id: String) -> Use? {
        connections.withLock { connections in
            guard let connection = connections[id], let ready = connection.ready else { return nil }
            connections[id]?.isUsed = true
            return Use(
                isReused: connection.isUsed, connecting: connection.isUsed ? nil : ready - connection.opened)
        }
    }
}

/// Takes down which connection one request goes over.
final class ConnectionNote: Sendable {
    private let log: ConnectionLog
    private let found = Locked<ConnectionLog.Use?>(nil)

    init(_ log: ConnectionLog) {
        self.log = log
    }

    /// `nil` while it is not known.
    var use: ConnectionLog.Use? { found.withLock { $0 } }

    /// For what is said of the request: the first word with a connection in it counts.
    var logger: Logger {
        LogReader.logger(.debug) { _, metadata in
            guard let id = metadata[ConnectionLog.idKey]?.description, self.use == nil else { return }
            let use = self.log.use(id)
            self.found.withLock { $0 = use }
        }
    }
}
