/// What a pipeline remembers of sources that failed, so that a list that scrolls does not ask for the same broken
/// picture again and again.
///
/// By default, a source is remembered when its bytes arrived and are no picture, or when it cannot be asked for at all;
/// not when the network or the server failed, since that may pass. For ten minutes, and at most a thousand: see
/// ``FailureMemory``.
public final class FailedSources: Sendable {
    private let table: Locked<FailureTable>
    private let shouldRemember: @Sendable (ImageSource, TintypeError) -> Bool
    private let time: TimeSource

    init(_ settings: FailureMemory = FailureMemory(), time: TimeSource) {
        self.time = time
        shouldRemember = settings.shouldRemember
        table = Locked(FailureTable(capacity: settings.capacity, lifetime: settings.lifetime))
    }

    /// The errors by source; see ``ImageSource/identity``.
    public var all: [String: TintypeError] {
        let now = time.uptime()
        return table.withLock { $0.all(at: now) }
    }

    /// Lets a source be tried again.
    public func forget(_ source: ImageSource) {
        forget(source.identity)
    }

    /// - Parameter name: what names the source in keys.
    func forget(_ name: String) {
        table.withLock { $0.forget(name) }
    }

    /// Lets every source be tried again.
    public func forgetAll() {
        table.withLock { $0.forgetAll() }
    }

    /// - Throws: ``TintypeError/Code/failedBefore``, with what it failed with as its cause.
    func check(_ source: String) throws(TintypeError) {
        let now = time.uptime()
        guard let error = table.withLock({ $0.failure(of: source, at: now) }) else { return }
        throw TintypeError(
            .failedBefore, stage: .load, "failed before: \(error.message)", subject: source, underlying: error)
    }

    func remember(_ error: TintypeError, of source: ImageSource, as name: String) {
        guard error.code != .cancelled, shouldRemember(source, error) else { return }
        let now = time.uptime()
        table.withLock { $0.remember(error, of: name, at: now) }
    }
}
