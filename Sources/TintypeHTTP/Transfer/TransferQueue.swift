import TintypeCore

/// The queue in which transfers wait until one of a limited number of slots is free: ``TransferQueueState`` behind a
/// lock.
final class TransferQueue: Sendable {
    fileprivate typealias State = TransferQueueState<QueuedWork>

    private let state: Locked<State>

    init(_ configuration: DownloaderConfiguration) {
        state = Locked(State(Self.limits(configuration)))
    }

    private static func limits(_ configuration: DownloaderConfiguration) -> State.Limits {
        State.Limits(
            total: max(1, configuration.maximumConcurrentDownloads), perHost: max(1, configuration.connectionsPerHost),
            order: configuration.order)
    }

    /// Takes a slot, which ``leave(_:)`` frees, if one is free and no other transfer waits.
    ///
    /// - Returns: Whether a slot was taken.
    func tryEnter(_ host: String, for job: JobContext) -> Bool {
        !job.isCancelled && state.withLock { $0.tryStart(host: host) }
    }

    /// Waits for a slot, which ``leave(_:)`` frees.
    ///
    /// - Throws: `TintypeError.Code.cancelled`; then no slot was taken.
    func enter(_ host: String, for job: JobContext) async throws(TintypeError) {
        try job.checkCancelled()
        try await TransferHostQueue(queue: self, host: host).waitForTurn(for: job) { _, resume in resume(.success(())) }
    }

    func leave(_ host: String) {
        change { $0.finish(host: host) }
    }

    /// The number of transfers that have a slot.
    var runningCount: Int { state.withLock { $0.runningCount } }

    /// Whether no waiting transfer gets a slot.
    var isSuspended: Bool {
        get { state.withLock { $0.isSuspended } }
        set { change { $0.isSuspended = newValue } }
    }

    /// Adopts the limits of a configuration.
    func apply(_ configuration: DownloaderConfiguration) {
        change { $0.change(Self.limits(configuration)) }
    }

    /// Changes the state, and starts the transfers that may start after the change.
    fileprivate func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        let (value, started) = state.withLock { state in
            let value = body(&state)
            var started: [QueuedWork] = []
            while let work = state.startNext() { started.append(work) }
            return (value, started)
        }
        for work in started { work.run() }
        return value
    }
}

/// The transfer queue as the transfers of one host see it.
private final class TransferHostQueue: TurnQueue {
    private let queue: TransferQueue
    private let host: String

    init(queue: TransferQueue, host: String) {
        self.queue = queue
        self.host = host
    }

    func push(_ work: QueuedWork, at priority: ImagePriority) -> QueueTicket? {
        queue.change { $0.push(work, host: host, at: priority) }
    }

    func move(_ ticket: QueueTicket, to priority: ImagePriority) {
        queue.change { $0.move(ticket, to: priority) }
    }

    func cancel(_ ticket: QueueTicket) {
        queue.change { $0.remove(ticket) }?.cancel()
    }
}

/// Decides which waiting transfer starts next, within a limit for all transfers and one for each host: the most urgent
/// first, and among equals the oldest or the youngest.
///
/// One host never holds all slots: if all running transfers are from one host, a transfer of another host may start
/// beyond the limit for all. Without this, a host that sends its images slowly would stop all others.
///
/// All transfers wait in one queue. When the turn of a transfer comes while its host is busy, the transfer moves to a
/// queue of that host, with its ticket and its age. The first of these returns when the host has room.
///
/// Invariant: if a host has room for *n* more transfers, its first *n* waiting transfers are in the main queue.
///
/// All operations are O(log *n*), amortised, unless stated otherwise: a transfer is deferred at most once each time
/// that a transfer of the same host is pushed, moved, removed or finished.
struct TransferQueueState<Element: Sendable>: Sendable {
    /// The maximum numbers of running transfers, in total and for each host, and the order of waiting transfers with
    /// equal priority.
    struct Limits: Hashable, Sendable {
        var total: Int
        var perHost: Int
        var order: DownloadOrder
    }

    private struct Waiting: Sendable {
        let element: Element
        let host: String
    }

    /// The state of one host.
    private struct Host: Sendable {
        var runningCount = 0
        /// Transfers that wait until the host has room.
        var deferred: PriorityQueue<Waiting>

        init(order: QueueOrder) {
            deferred = PriorityQueue(order: order)
        }

        /// Counts a transfer as running, and returns how many are.
        mutating func start() -> Int {
            runningCount += 1
            return runningCount
        }
    }

    private(set) var limits: Limits
    /// Whether no transfer may start.
    var isSuspended = false
    private(set) var runningCount = 0
    /// The number of hosts with running transfers.
    private var activeHostCount = 0
    private var main: PriorityQueue<Waiting>
    /// Hosts with running transfers, or with deferred ones.
    private var hosts: [String: Host] = [:]
    /// The hosts of the deferred transfers.
    private var hostsOfDeferred: [QueueTicket: String] = [:]

    init(_ limits: Limits) {
        self.limits = limits
        main = PriorityQueue(order: limits.order.queueOrder)
    }

    var waitingCount: Int { main.count + hostsOfDeferred.count }

    private var hasRoom: Bool { !isSuspended && (runningCount < limits.total || hasExtraSlot) }

    /// Whether there is an extra slot for a host without running transfers. A limit of 1 gets none: the program wants
    /// one transfer at a time.
    private var hasExtraSlot: Bool { limits.total > 1 && activeHostCount == 1 }

    private func hasRoom(at host: String) -> Bool {
        hosts[host]?.runningCount ?? 0 < min(limits.perHost, limits.total)
    }

    // MARK: Starting and finishing

    /// Adds a transfer to the queue.
    mutating func push(_ element: Element, host: String, at priority: ImagePriority) -> QueueTicket {
        main.push(Waiting(element: element, host: host), at: priority)
    }

    /// Counts a transfer as running without queueing it, if no other waits and both limits allow it.
    mutating func tryStart(host: String) -> Bool {
        guard waitingCount == 0, hasRoom, limits.perHost > 0 else { return false }
        guard let index = hosts.index(forKey: host), hosts.values[index].runningCount > 0 else {
            countStart(host: host)
            return true
        }
        guard hosts.values[index].runningCount < min(limits.perHost, limits.total) else { return false }
        hosts.values[index].runningCount += 1
        runningCount += 1
        return true
    }

    /// Removes the first transfer that may start, and counts it as running; `nil` when none may.
    mutating func startNext() -> Element? {
        guard hasRoom else { return nil }
        while let entry = main.popEntry() {
            let host = entry.element.host
            if hasRoom(at: host) {
                countStart(host: host)
                return entry.element.element
            }
            hosts[host, default: Host(order: main.order)].deferred.insert(entry)
            hostsOfDeferred[entry.ticket] = host
        }
        return nil
    }

    private mutating func countStart(host: String) {
        if hosts[host, default: Host(order: main.order)].start() == 1 { activeHostCount += 1 }
        runningCount += 1
    }

    /// Counts a running transfer as finished.
    mutating func finish(host: String) {
        runningCount -= 1
        guard let index = hosts.index(forKey: host) else { return }
        if hosts.values[index].runningCount == 1 { activeHostCount -= 1 }
        guard hosts.values[index].deferred.isEmpty else {
            hosts.values[index].runningCount -= 1
            return readmitFirst(host: host)
        }
        if hosts.values[index].runningCount > 1 {
            hosts.values[index].runningCount -= 1
        } else {
            hosts.remove(at: index)
        }
    }

    /// Moves the first deferred transfer of a host back to the main queue, if the host has room.
    private mutating func readmitFirst(host: String) {
        guard hasRoom(at: host), let entry = hosts[host]?.deferred.popEntry() else { return }
        readmit(entry, host: host)
    }

    private mutating func readmit(_ entry: PriorityQueue<Waiting>.Entry, host: String) {
        hostsOfDeferred[entry.ticket] = nil
        main.insert(entry)
        removeIfUnused(host)
    }

    private mutating func removeIfUnused(_ host: String) {
        if let state = hosts[host], state.runningCount <= 0, state.deferred.isEmpty { hosts[host] = nil }
    }

    // MARK: Changes

    /// Changes the priority of a waiting transfer, which keeps its age.
    mutating func move(_ ticket: QueueTicket, to priority: ImagePriority) {
        if let host = hostsOfDeferred[ticket] {
            // It may be the first of its host now.
            guard var entry = hosts[host]?.deferred.removeEntry(ticket) else { return }
            entry.priority = priority
            readmit(entry, host: host)
        } else if let host = main[ticket]?.host {
            main.move(ticket, to: priority)
            // It may have been the first of its host, and another may be now.
            readmitFirst(host: host)
        }
    }

    /// Removes and returns a waiting transfer; `nil` when it does not wait any more.
    mutating func remove(_ ticket: QueueTicket) -> Element? {
        if let host = hostsOfDeferred.removeValue(forKey: ticket) {
            defer { removeIfUnused(host) }
            return hosts[host]?.deferred.remove(ticket)?.element
        }
        guard let waiting = main.remove(ticket) else { return nil }
        // It may have been the first of its host.
        readmitFirst(host: waiting.host)
        return waiting.element
    }

    /// Changes the limits. O(*n* log *n*).
    mutating func change(_ limits: Limits) {
        guard limits != self.limits else { return }
        self.limits = limits
        main.order = limits.order.queueOrder
        for host in Array(hosts.keys) {
            while let entry = hosts[host]?.deferred.popEntry() { main.insert(entry) }
            hosts[host]?.deferred.order = main.order
            removeIfUnused(host)
        }
        hostsOfDeferred = [:]
    }
}

extension DownloadOrder {
    fileprivate var queueOrder: QueueOrder {
        switch self {
        case .firstInFirstOut: .firstInFirstOut
        case .lastInFirstOut: .lastInFirstOut
        }
    }
}
