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
