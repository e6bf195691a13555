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
    /// - Throws: ``TintypeCore/TintypeError/Code/cancelled``; then no slot was taken.
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
