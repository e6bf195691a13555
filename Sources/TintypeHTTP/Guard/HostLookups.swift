import TintypeCore

/// The lookups of host names that run now. Callers that look up the same host share one.
///
/// The system resolver cannot be stopped: a lookup goes on when nobody waits for it any more, and holds a thread. So a host
/// whose name server never answers holds one thread, however often it is requested. While too many lookups are under way,
/// a new one fails at once.
final class HostLookups: Sendable {
    private typealias Outcome = Result<[IPAddress], TintypeError>

    /// The maximum number of lookups that run or wait for a thread.
    static let maximumCount = 64

    private let running = Locked<[String: SharedPromise<Outcome>]>([:])
    private let queue: WorkQueue
    private let lookUp: @Sendable (String) throws(TintypeError) -> [IPAddress]

    /// - Parameters:
    ///   - threads: The maximum number of lookups that run at once. Transfers that fill the standard number of slots need 18:
    ///     each waits 10 seconds, while three name servers take 30.
    ///   - lookUp: Returns the addresses of a host. Blocks.
    init(threads: Int = 32, lookUp: @escaping @Sendable (String) throws(TintypeError) -> [IPAddress]) {
        // Threads of its own: a name server that never answers must not hold those that read files.
        queue = WorkQueue(name: "tintype.resolver", width: threads)
        self.lookUp = lookUp
    }

    /// Returns the addresses of a host.
    ///
    /// - Parameter limit: The longest wait.
    /// - Throws: The error of the lookup; ``TintypeCore/TintypeError/Code/timedOut`` after `limit`;
    ///   ``TintypeCore/TintypeError/Code/unreachable`` while too many lookups are under way;
    ///   ``TintypeCore/TintypeError/Code/cancelled`` when the task is cancelled.
    func addresses(
        of host: String, within limit: Duration, _ clock: TransferClock, at priority: ImagePriority
    ) async throws -> [IPAddress] {
        guard let lookup = joinOrStart(host, at: priority) else {
            throw TintypeError(.unreachable, stage: .load, "too many host names are being resolved")
        }
        return try await BoundedWait.wait(limit, clock) { try await lookup.wait { .failure(.cancelled) }.get() }
    }

    /// Returns the running lookup of a host, or starts one; `nil` if there are too many.
    private func joinOrStart(_ host: String, at priority: ImagePriority) -> SharedPromise<Outcome>? {
        let new = SharedPromise<Outcome>()
        let lookup = running.withLock { running in
            if running[host] == nil, running.count < Self.maximumCount { running[host] = new }
            return running[host]
        }
        if lookup === new { start(new, of: host, at: priority) }
        return lookup
    }

    private func start(_ lookup: SharedPromise<Outcome>, of host: String, at priority: ImagePriority) {
        queue.enqueue(at: priority) { [self] in
            let outcome = Outcome { () throws(TintypeError) in try lookUp(host) }
            running.withLock { $0[host] = nil }
            lookup.fulfill(outcome)
        }
    }
}
