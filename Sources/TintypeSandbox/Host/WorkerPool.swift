import CTintypeSandbox
import Foundation
import Logging
import TintypeCore

/// Starts workers when they are needed, gives each to one thread at a time, and ends them.
final class WorkerPool: Sendable {
    let configuration: SandboxConfiguration
    private let makeWorker: @Sendable (WorkerStart, _ isCancelled: () -> Bool) throws(TintypeError) -> WorkerProcess
    private let state: Locked<State>

    private struct State: Sendable {
        var workers: WorkerPoolState<WorkerProcess>
        /// The threads that wait for a worker.
        var waiting = WaitingThreads<WorkerTurn>()
        var hasTimer = false
    }

    /// The time after which an idle worker ends.
    private static let idleTime = Duration.seconds(30)
    /// The time for which an impatient thread waits for a busy worker.
    private static let shortWait = Duration.milliseconds(50)

    /// Starts a worker, and waits until it is ready.
    typealias Start = @Sendable (WorkerStart) throws(TintypeError) -> WorkerProcess

    /// - Parameter start: Starts a worker; by default, the executable of the configuration.
    init(_ configuration: SandboxConfiguration, start: Start? = nil) {
        self.configuration = configuration
        if let start {
            makeWorker = { (description, _) throws(TintypeError) in try start(description) }
        } else {
            makeWorker = { (start, isCancelled) throws(TintypeError) in
                try WorkerProcess(configuration.executable, start, configuration.logger, isCancelled: isCancelled)
            }
        }
        state = Locked(
            State(
                workers: WorkerPoolState(
                    width: configuration.maximumWorkers, maximumRequests: configuration.imagesPerWorker,
                    sharing: configuration.sharing)))
    }

    deinit {
        endIdleWorkers()
    }

    /// The number of workers.
    var workerCount: Int { state.withLock { $0.workers.count } }

    /// The process identifiers of the workers.
    var processes: Set<pid_t> { Set(state.withLock { $0.workers.all }.map(\.identifier)) }

    /// A worker in use.
    struct Lease {
        let number: Int
        let worker: WorkerProcess
    }

    // MARK: Use

    /// Waits for a worker, or starts one. Blocks.
    ///
    /// - Parameter isNew: Whether the worker must have decoded nothing before.
    /// - Throws: `TintypeError.Code.noWorker`, `TintypeError.Code.cancelled`.
    func lease(
        _ kind: WorkerKind, _ context: DecodeContext, isNew: Bool = false
    ) throws(TintypeError) -> Lease {
        let isCancelled = context.isCancelled
        let turn = makeTurn()
        var isWoken = false
        while true {
            let next = state.withLock { state in
                let next = state.workers.acquire(kind, origin: context.origin, isNew: isNew, now: Self.now)
                if case .wait = next { state.waiting.add(turn, ticket: turn.ticket) }
                return next
            }
            switch next {
            case .use(let number, let worker):
                // It may have been killed while it was idle.
                if worker.isResponsive, !worker.holdsTooMuch(for: context.limits) {
                    return Lease(number: number, worker: worker)
                }
                release(Lease(number: number, worker: worker), isUsable: false)
            case .start(let number, let decoders, let retired):
                retired?.end()
                return try start(number, decoders, kind.readsFonts, isCancelled)
            case .wait:
                // What woke this thread may serve another one.
                if isWoken { wakeNext(after: turn.ticket) }
                isWoken = try wait(turn, isCancelled)
            }
        }
    }

    /// Waits for the worker with an open decoder.
    ///
    /// - Parameter isPatient: Whether to wait as long as it is busy, instead of a short time.
    /// - Returns: `nil` if it has ended, or is busy for longer.
    func lease(_ number: Int, isPatient: Bool, isCancelled: () -> Bool) throws(TintypeError) -> Lease? {
        let (turn, start) = (makeTurn(), Self.now)
        var isWoken = false
        while isPatient || Self.now - start < Self.shortWait {
            let next = state.withLock { state in
                let next = state.workers.acquire(number)
                if case .wait = next { state.waiting.add(turn, ticket: turn.ticket) }
                return next
            }
            switch next {
            case .use(let number, let worker):
                let lease = Lease(number: number, worker: worker)
                if worker.isResponsive { return lease }
                release(lease, isUsable: false)
                return nil
            case .wait:
                if isWoken { wakeNext(after: turn.ticket) }
                isWoken = try wait(turn, isCancelled)
            default:
                if isWoken { wakeNext() }
                return nil
            }
        }
        if isWoken { wakeNext() }
        return nil
    }

    private func makeTurn() -> WorkerTurn { WorkerTurn(ticket: state.withLock { $0.waiting.makeTicket() }) }

    /// Waits until a worker is released, or for a short time.
    ///
    /// - Returns: Whether a worker was released.
    private func wait(_ turn: WorkerTurn, _ isCancelled: () -> Bool) throws(TintypeError) -> Bool {
        let isWoken = turn.signal.wait(timeout: .now() + .milliseconds(10)) == .success
        state.withLock { state in state.waiting.remove(turn.ticket) }
        if isCancelled() {
            // The signal that this turn may have taken belongs to another one.
            wakeNext()
            throw .cancelled
        }
        return isWoken
    }

    private func start(
        _ number: Int, _ decoders: [String], _ readsFonts: Bool, _ isCancelled: () -> Bool
    ) throws(TintypeError) -> Lease {
        do throws(TintypeError) {
            let worker = try makeWorker(
                WorkerStart(
                    decoders: decoders, readsFonts: readsFonts, landlockVersion: configuration.landlockVersion ?? .max),
                isCancelled)
            let status = SandboxStatus(worker.ready)
            SandboxStatus.report(status, configuration.logger)
            guard status.isComplete || !configuration.isStrict else {
                worker.end()
                throw .noWorker("the system cannot restrict it: \(status.missing.joined(separator: ", "))", 0)
            }
            state.withLock { $0.workers.started(number, worker) }
            return Lease(number: number, worker: worker)
        } catch {
            _ = state.withLock { $0.workers.release(number, isUsable: false, now: Self.now) }
            wakeNext()
            throw error
        }
    }

    /// Ends the use of a worker.
    ///
    /// - Parameter isUsable: Whether it may be used again; otherwise, or if it may hold too much memory, it is ended.
    /// - Returns: How it ended, if it was ended.
    @discardableResult
    func release(_ lease: Lease, isUsable: Bool) -> tintype_process_end {
        let isUsable = isUsable && !lease.worker.isExhausted
        let (retired, startsTimer) = state.withLock { state in
            let retired = state.workers.release(lease.number, isUsable: isUsable, now: Self.now)
            defer { if retired == nil { state.hasTimer = true } }
            return (retired, retired == nil && !state.hasTimer)
        }
        let end = retired?.end() ?? tintype_process_end()
        if !isUsable { lease.worker.end() }
        wakeNext()
        if startsTimer { startTimer() }
        return end
    }

    /// Wakes the first waiting thread, or the first one behind another.
    private func wakeNext(after ticket: Int = 0) {
        state.withLock { $0.waiting.takeFirst(after: ticket) }?.signal.signal()
    }

    // MARK: Idle workers

    private func startTimer() {
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + Self.idleTime / .seconds(1)) { [weak self] in
            self?.endExpiredWorkers()
        }
    }

    private func endExpiredWorkers() {
        let (expired, isEmpty) = state.withLock { state in
            let expired = state.workers.expire(after: Self.idleTime, now: Self.now)
            state.hasTimer = state.workers.count > 0
            return (expired, state.workers.count == 0)
        }
        for worker in expired { worker.end() }
        if !isEmpty { startTimer() }
    }

    /// Ends all workers that nobody uses.
    func endIdleWorkers() {
        for worker in state.withLock({ $0.workers.removeIdle() }) { worker.end() }
    }

    private static var now: Duration { TimeSource.system.uptime() }
}

/// A thread that waits for a worker.
private final class WorkerTurn: Sendable {
    let ticket: Int
    let signal = DispatchSemaphore(value: 0)

    init(ticket: Int) {
        self.ticket = ticket
    }
}
