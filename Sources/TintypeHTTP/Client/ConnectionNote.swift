import Logging
import TintypeCore

/// Takes down which connection one request goes over.
final class ConnectionNote: Sendable {
    private let log: ConnectionLog
    /// When the request was made.
    let sent: Duration
    private let found = Locked<ConnectionLog.Use?>(nil)

    /// To be made when the request is.
    init(_ log: ConnectionLog) {
        self.log = log
        sent = log.now
    }

    /// `nil` while it is not known.
    var use: ConnectionLog.Use? { found.withLock { $0 } }

    /// For the request, which is given the name of its connection by it.
    var logger: Logger { Logger(label: "tintype.http") { _ in ConnectionListener(note: self) } }

    /// The first connection counts.
    fileprivate func began(on id: String) {
        guard use == nil else { return }
        let use = log.use(id, since: sent)
        found.withLock { $0 = use }
    }
}

/// Hears which connection the logger of a request is given to, and nothing that is said to it.
private struct ConnectionListener: LogHandler {
    let note: ConnectionNote

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
        set { if key == ConnectionLog.idKey, let newValue { note.began(on: newValue.description) } }
    }

    func log(event: LogEvent) {}
}
