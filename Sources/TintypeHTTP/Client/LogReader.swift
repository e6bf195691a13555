import Logging

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
