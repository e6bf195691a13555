import Logging
import TintypeCore

/// Which request went over which connection of a client: the client below says so in its log, and nowhere else.
///
/// Only the little that it says at the level of debugging is listened to, since all it says is much for every request. If
/// another version should say it differently, nothing is known, and nothing breaks.
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

/// Takes down which connection one request goes over.
final class ConnectionNote: Sendable {
    private let log: ConnectionLog
    private let sent: Duration
    private let found = Locked<ConnectionLog.Use?>(nil)

    /// To be made when the request is.
    init(_ log: ConnectionLog) {
        self.log = log
        sent = log.now
    }

    /// `nil` while it is not known.
    var use: ConnectionLog.Use? { found.withLock { $0 } }

    /// For what is said of the request: the first word with a connection in it counts.
    var logger: Logger {
        LogReader.logger(.debug) { _, metadata in
            guard let id = metadata[ConnectionLog.idKey]?.description, self.use == nil else { return }
            let use = self.log.use(id, since: self.sent)
            self.found.withLock { $0 = use }
        }
    }
}
