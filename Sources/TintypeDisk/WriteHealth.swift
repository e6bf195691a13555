import TintypeCore

/// Whether a cache can write, and what it does when it cannot: it goes on with what it can read, as memory only, and
/// tries again after a while. It knows no time.
struct WriteHealth: Sendable {
    /// Why something could not be written; `nil` once something could again.
    private(set) var problem: TintypeError?
    private var retries: Duration?
    private var unreported: TintypeError?
    private var isLogged = false

    /// After a failure nothing is tried for so long, since each try costs and changes nothing.
    static let pause = Duration.seconds(10)

    /// Whether writing is worth a try.
    func allowsWriting(at now: Duration) -> Bool {
        retries.map { now >= $0 } ?? true
    }

    /// Returns whether this is the first of its kind, which is worth a line in the log.
    mutating func failed(_ error: TintypeError, at now: Duration) -> Bool {
        problem = error
        unreported = unreported ?? error
        retries = now + Self.pause
        defer { isLogged = true }
        return !isLogged
    }

    /// Lets the next problem be logged again.
    mutating func succeeded() {
        guard problem != nil else { return }
        problem = nil
        retries = nil
        isLogged = false
    }

    /// The first problem since this was last called.
    mutating func takeProblem() -> TintypeError? {
        defer { unreported = nil }
        return unreported
    }
}
