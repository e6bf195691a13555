import Logging

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
