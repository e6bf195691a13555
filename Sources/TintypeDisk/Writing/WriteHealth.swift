import TintypeCore

/// The write health of a cache. After a failure the cache reads only, and tries to write again after a pause.
///
/// A pure value: the caller passes the time.
struct WriteHealth: Sendable {
    /// The last write error; `nil` after a successful write.
    private(set) var problem: TintypeError?
    private var retries: Duration?
    private var unreported: TintypeError?
    private var isLogged = false

    /// The pause after a failure. Each attempt costs time and usually fails for the same reason.
    static let pause = Duration.seconds(10)

    /// Whether writing may be tried.
    func allowsWriting(at now: Duration) -> Bool {
        retries.map { now >= $0 } ?? true
    }

    /// Records a failure, and returns whether it is the first since the last success and should be logged.
    mutating func failed(_ error: TintypeError, at now: Duration) -> Bool {
        problem = error
        unreported = unreported ?? error
        retries = now + Self.pause
        defer { isLogged = true }
        return !isLogged
    }

    /// Records a success. The next failure is logged again.
    mutating func succeeded() {
        guard problem != nil else { return }
        problem = nil
        retries = nil
        isLogged = false
    }

    /// Returns the first problem since the last call, and clears it.
    mutating func takeProblem() -> TintypeError? {
        defer { unreported = nil }
        return unreported
    }
}
