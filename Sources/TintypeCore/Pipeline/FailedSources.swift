/// What a pipeline remembers of sources that failed, so that a list that scrolls does not ask for the same broken
/// picture again and again.
///
/// By default, a source is remembered when its bytes arrived and are no picture, or when it cannot be asked for at all;
/// not when the network or the server failed, since that may pass. For ten minutes, and at most a thousand: see
/// ``FailureMemory``.
public final class FailedSources: Sendable {
    private let table: Locked<FailureTable>
    private let name: @Sendable (ImageRequest) -> String
    private let shouldRemember: @Sendable (ImageSource, TintypeError) -> Bool
    private let time: TimeSource

    /// - Parameter name: what names the source of a request in keys.
    init(
        _ settings: FailureMemory = FailureMemory(), time: TimeSource,
        name: @escaping @Sendable (ImageRequest) -> String
    ) {
        self.time = time
        self.name = name
        shouldRemember = settings.shouldRemember
        table = Locked(FailureTable(capacity: settings.capacity, lifetime: settings.lifetime))
    }

    /// The errors by what names the source in keys: ``CacheKey/source``. Of one that failed for several kinds of requests,
    /// any of its errors.
    public var all: [String: TintypeError] {
        let now = time.uptime()
        return table.withLock { $0.all(at: now) }
    }

    /// Lets a source be tried again, by every request. Costs a look at each source that is remembered.
    public func forget(_ source: ImageSource) {
        forget(ImageRequest(source: source))
    }

    /// Lets the source of a request be tried again, by every request; the pipeline's interceptors may give it a name.
    public func forget(_ request: ImageRequest) {
        let name = name(request)
        table.withLock { $0.forgetAll(of: name) }
    }

    /// It was loaded and decoded.
    func forget(_ key: FailureKey) {
        table.withLock { $0.forget(key) }
    }

    /// Lets every source be tried again.
    public func forgetAll() {
        table.withLock { $0.forgetAll() }
    }

    /// - Throws: ``TintypeError/Code/failedBefore``, with what it failed with as its cause.
    func check(_ request: ImageRequest) throws(TintypeError) {
        let now = time.uptime()
        guard let error = table.withLock({ $0.failure(of: FailureKey(request), at: now) }) else { return }
        throw TintypeError(
            .failedBefore, stage: .load, "failed before: \(error.message)", subject: request.source.displayName,
            underlying: error)
    }

    func remember(_ error: TintypeError, of request: ImageRequest) {
        let key = FailureKey(request)
        guard error.code != .cancelled, key.isShort, shouldRemember(request.source, error) else { return }
        let now = time.uptime()
        table.withLock { $0.remember(error, of: key, at: now) }
    }
}
