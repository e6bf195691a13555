/// The number of a request for admission, in order of arrival.
struct AdmissionTicket: Hashable, Comparable, Sendable {
    fileprivate let number: UInt64

    static func < (left: AdmissionTicket, right: AdmissionTicket) -> Bool { left.number < right.number }
}

/// The limits of what runs and waits at once.
struct AdmissionLimits: Hashable, Sendable {
    /// The number of images in work at once.
    var workers: Int
    /// The memory of their decoded pixels, in bytes.
    var decodedBytes: Int
    /// The number of requests that wait in a burst, for example of a page with many new images.
    var queueLength: Int
    /// The number of requests that wait after one was refused, until a worker has nothing to do: more come than can be
    /// served, and a longer queue would serve no more of them, but each later.
    var overloadedQueueLength: Int

    /// Creates limits of at least one worker, one byte and no queue.
    ///
    /// - Parameter queueLength: The number of requests that wait, always. `nil` for four times the workers in a burst,
    ///   and as many as there are workers under overload: who waits for one other waits twice as long as without load.
    init(workers: Int, decodedBytes: Int, queueLength: Int? = nil) {
        self.workers = max(1, workers)
        self.decodedBytes = max(1, decodedBytes)
        self.queueLength = max(0, queueLength ?? 4 * self.workers)
        overloadedQueueLength = max(0, queueLength ?? self.workers)
    }
}

/// Decides which requests may decode an image now, and which wait, in order of arrival.
///
/// An image counts with an estimate of its decoded bytes, by its header. An image that is larger than the whole budget
/// runs alone. While the first request of the queue does not fit, no later one starts, however small: otherwise small
/// images would keep a large one waiting for ever. A request that waits holds nothing.
///
/// Invariants, unless a single request runs: the sum of the estimates of running requests is within the budget. The
/// number of running requests is within that of the workers. If requests wait, the first one does not fit.
/// ``next(now:)`` restores the last one after every change.
///
/// Times are those of a monotonic clock. Operations are O(*n*) in the number of waiting and running requests, which the
/// limits bound.
struct AdmissionState<Waiter: Sendable>: Sendable {
    /// The answer to a request that arrives.
    enum Arrival: Hashable, Sendable {
        /// It runs.
        case admitted(AdmissionTicket)
        /// It waits, until ``AdmissionState/next(now:)`` names it.
        case queued(AdmissionTicket)
        /// It is turned away.
        case refused(AdmissionRefusal)
    }

    /// What happens to a request that waited.
    enum Outcome: Sendable {
        /// It runs now.
        case admitted(AdmissionTicket, Waiter)
        /// Its deadline passed.
        case expired(AdmissionTicket, Waiter)
    }

    private struct Waiting: Sendable {
        let ticket: AdmissionTicket
        let waiter: Waiter
        let bytes: Int
        let deadline: Duration
        let since: Duration
    }

    private struct Running: Sendable {
        let bytes: Int
        let since: Duration
    }

    let limits: AdmissionLimits
    /// Whether new requests are refused.
    private(set) var isDraining = false
    /// The sum of the estimates of running requests, in bytes.
    private(set) var decodedBytes = 0
    private var running: [AdmissionTicket: Running] = [:]
    /// Sorted by ticket.
    private var waiting: [Waiting] = []
    /// Whether a request was refused since a worker had nothing to do.
    private var isOverloaded = false
    private var lastNumber: UInt64 = 0

    init(_ limits: AdmissionLimits) {
        self.limits = limits
    }

    // MARK: Events

    /// Adds a request.
    ///
    /// - Parameters:
    ///   - waiter: Stored while the request waits.
    ///   - bytes: The estimate of its decoded bytes.
    ///   - deadline: The time after which it must not begin.
    mutating func arrive(_ waiter: Waiter, bytes: Int, deadline: Duration, now: Duration) -> Arrival {
        guard !isDraining else { return .refused(.draining) }
        guard now < deadline else { return .refused(.deadline) }
        let bytes = Self.clamped(bytes)
        if waiting.isEmpty, fits(bytes) { return .admitted(start(takeTicket(), bytes, now: now)) }
        guard waiting.count < queueLimit else {
            isOverloaded = true
            return .refused(.queueFull)
        }
        let ticket = takeTicket()
        waiting.append(Waiting(ticket: ticket, waiter: waiter, bytes: bytes, deadline: deadline, since: now))
        return .queued(ticket)
    }

    /// Ends a request, whether it runs or waits. A request that has ended already is ignored.
    mutating func end(_ ticket: AdmissionTicket) {
        if let job = running.removeValue(forKey: ticket) { decodedBytes -= job.bytes } else { _ = leave(ticket) }
    }

    /// Ends a request if it waits. One that was admitted in the meantime runs on.
    ///
    /// - Returns: The waiter, if the request waited.
    mutating func leave(_ ticket: AdmissionTicket) -> Waiter? {
        guard let index = waiting.firstIndex(where: { $0.ticket == ticket }) else { return nil }
        return waiting.remove(at: index).waiter
    }

    /// Refuses requests that arrive from now on. Those that wait go on.
    mutating func drain() { isDraining = true }

    /// Removes a request whose deadline has passed, or starts the first one if it fits; `nil` when nothing changes.
    ///
    /// Call it after every event, and when a deadline passes, until it returns `nil`.
    mutating func next(now: Duration) -> Outcome? {
        if let index = waiting.firstIndex(where: { $0.deadline <= now }) {
            let entry = waiting.remove(at: index)
            return .expired(entry.ticket, entry.waiter)
        }
        if waiting.isEmpty, running.count < limits.workers { isOverloaded = false }
        guard let first = waiting.first, fits(first.bytes) else { return nil }
        waiting.removeFirst()
        _ = start(first.ticket, first.bytes, now: now)
        return .admitted(first.ticket, first.waiter)
    }

    // MARK: Status

    /// What health checks and metrics report.
    func status(now: Duration) -> AdmissionStatus {
        AdmissionStatus(
            limits: limits, runningCount: running.count, waitingCount: waiting.count,
            queueLimit: queueLimit, decodedBytes: decodedBytes,
            oldestJobAge: running.values.map { now - $0.since }.max(),
            youngestJobAge: running.values.map { now - $0.since }.min(),
            oldestWaitAge: waiting.map { now - $0.since }.max(), isDraining: isDraining)
    }

    // MARK: Private

    /// Keeps sums of two estimates from overflowing. No machine has so much memory.
    private static func clamped(_ bytes: Int) -> Int { min(max(0, bytes), .max / 4) }

    /// The number of requests that may wait now.
    private var queueLimit: Int { isOverloaded ? limits.overloadedQueueLength : limits.queueLength }

    private func fits(_ bytes: Int) -> Bool {
        running.isEmpty || running.count < limits.workers && decodedBytes + bytes <= limits.decodedBytes
    }

    private mutating func takeTicket() -> AdmissionTicket {
        lastNumber += 1
        return AdmissionTicket(number: lastNumber)
    }

    private mutating func start(_ ticket: AdmissionTicket, _ bytes: Int, now: Duration) -> AdmissionTicket {
        running[ticket] = Running(bytes: bytes, since: now)
        decodedBytes += bytes
        return ticket
    }
}

/// Why a request was not admitted.
enum AdmissionRefusal: Error, Hashable, Sendable {
    /// Too many requests wait.
    case queueFull
    /// The deadline of the request passed before its turn.
    case deadline
    /// The server is shutting down.
    case draining
    /// The task of the request was cancelled: its client has gone.
    case cancelled

    /// What the client is told.
    var failure: Failure {
        switch self {
        case .queueFull: Failure(.queueFull, code: "queueFull", detail: "too many requests are waiting")
        case .deadline: Failure(.deadlineExceeded, code: "deadline", detail: "the time of the request is over")
        case .draining: Failure(.unavailable, code: "shuttingDown", detail: "the server is shutting down")
        case .cancelled: Failure(.clientGone, code: "cancelled", detail: "the client has gone")
        }
    }
}

/// The load of the workers at a moment.
package struct AdmissionStatus: Hashable, Sendable {
    let limits: AdmissionLimits
    /// The number of images in work.
    package let runningCount: Int
    /// The number of requests that wait.
    package let waitingCount: Int
    /// The number of requests that may wait at this moment.
    let queueLimit: Int
    /// The estimated memory of the decoded pixels, in bytes.
    let decodedBytes: Int
    /// The time since the oldest running request began; `nil` if none runs.
    let oldestJobAge: Duration?
    /// The time since the youngest running request began; `nil` if none runs.
    let youngestJobAge: Duration?
    /// The time for which the oldest waiting request has waited; `nil` if none waits.
    let oldestWaitAge: Duration?
    /// Whether new requests are refused.
    let isDraining: Bool

    /// Whether a request that does not fit at once would be refused.
    var isQueueFull: Bool {
        queueLimit > 0 ? waitingCount >= queueLimit : runningCount >= limits.workers
    }

    /// The share of busy workers, in percent.
    var utilization: Double { 100 * Double(runningCount) / Double(limits.workers) }
}
