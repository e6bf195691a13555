/// What a pipeline remembers of sources that failed, so that a list that scrolls does not ask for the same broken
/// picture again and again.
///
/// A source is remembered when its bytes arrived and are no picture, or when it cannot be asked for at all; not when
/// the network or the server failed, since that may pass. For ten minutes, and at most a thousand.
public final class FailedSources: Sendable {
    private let table: Locked<FailureTable>
    private let time: TimeSource

    init(time: TimeSource, capacity: Int = 1000, lifetime: Duration = .seconds(600)) {
        self.time = time
        table = Locked(FailureTable(capacity: capacity, lifetime: lifetime))
    }

    /// The errors by source; see ``ImageSource/identity``.
    public var all: [String: TintypeError] {
        let now = time.uptime()
        return table.withLock { $0.all(at: now) }
    }

    /// Lets a source be tried again.
    public func forget(_ source: ImageSource) {
        table.withLock { $0.forget(source.identity) }
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

    func remember(_ error: TintypeError, of source: String) {
        guard Self.lasts(error.code) else { return }
        let now = time.uptime()
        table.withLock { $0.remember(error, of: source, at: now) }
    }

    func forget(source: String) {
        table.withLock { $0.forget(source) }
    }

    /// The codes of SDWebImage's errors 1000 and 1001, which it remembers too.
    private static func lasts(_ code: TintypeError.Code) -> Bool {
        [.invalidSource, .notAnImage, .noCoder, .undecodable, .emptyBody].contains(code)
    }
}
