import NIOCore

/// What is known of one connection. Only its event loop knows it.
final class ConnectionFacts {
    /// When it stood: the name resolved, connected, and TLS agreed upon.
    let ready: Duration
    /// Answers that began to arrive over it.
    var answers = 0

    init(ready: Duration) {
        self.ready = ready
    }

    /// For a request whose answer begins, or that failed before.
    var use: ConnectionUse { ConnectionUse(isReused: answers > 0, ready: ready) }
}

/// One request's use of a connection.
struct ConnectionUse: Hashable, Sendable {
    /// Whether it had brought another answer before.
    let isReused: Bool
    /// When it stood.
    let ready: Duration

    /// What of a request's time went into opening it; `nil` when it stood before.
    func connecting(since sent: Duration) -> Duration? {
        isReused || ready < sent ? nil : ready - sent
    }
}
