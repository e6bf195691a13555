import Foundation

/// Threads for work that blocks or computes, so that Swift's cooperative threads never wait for a file or a codec.
///
/// At most `width` pieces run at once, the most urgent first. Work whose job is cancelled before its turn never starts.
/// The threads are started when they are first needed and last as long as the process.
package final class WorkQueue: TurnQueue {
    /// For files: wider than the machine, since a disk answers several at once, and since its threads may be guests of
    /// the other queue.
    package static let disk = WorkQueue(
        name: "tintype.disk", width: max(4, 2 * ProcessInfo.processInfo.activeProcessorCount))
    /// For codecs and pixels: as wide as the machine.
    package static let pixels = WorkQueue(name: "tintype.pixels", width: ProcessInfo.processInfo.activeProcessorCount)

    private let name: String
    private let state: Locked<WorkQueueState<QueuedWork>>
    private let wakeups = DispatchSemaphore(value: 0)

    package init(name: String, width: Int) {
        self.name = name
        state = Locked(WorkQueueState(width: max(1, width)))
    }

    /// Pieces that wait for a thread.
    var waitingCount: Int { state.withLock { $0.line.count } }

    /// Runs `body` on a thread of this queue, at the priority of `job`, and waits for it without blocking.
    ///
    /// - Throws: what `body` throws, or ``TintypeError/Code/cancelled`` when the job was cancelled before its turn.
    package func run<Value: Sendable>(
        for job: JobContext, _ body: @escaping @Sendable () throws(TintypeError) -> Value
    ) async throws(TintypeError) -> Value {
        try await waitForTurn(for: job) { resume in resume(Result(catching: body)) }
    }

    /// Runs `body` on a thread of this queue when its turn comes; no one waits.
    package func enqueue(at priority: ImagePriority, _ body: @escaping @Sendable () -> Void) {
        _ = push(QueuedWork(run: body, cancel: {}), at: priority)
    }

    /// Runs `body` on the calling thread, if one of this queue's could begin with it at once; the caller counts as one
    /// of them meanwhile.
    ///
    /// - Returns: whether it ran.
    func runHere(_ body: () -> Void) -> Bool {
        guard state.withLock({ $0.enter() }) else { return false }
        defer { wake(state.withLock { $0.leave() }) }
        body()
        return true
    }

    // MARK: The line

    package func push(_ piece: QueuedWork, at priority: ImagePriority) -> QueueTicket? {
        let (ticket, wakeup) = state.withLock { $0.push(piece, at: priority) }
        wake(wakeup)
        return ticket
    }

    package func move(_ ticket: QueueTicket, to priority: ImagePriority) {
        state.withLock { $0.line.move(ticket, to: priority) }
    }

    package func cancel(_ ticket: QueueTicket) {
        state.withLock { $0.line.remove(ticket) }?.cancel()
    }

    // MARK: The threads

    private func wake(_ wakeup: WorkQueueState<QueuedWork>.Wakeup) {
        switch wakeup {
        case .none: break
        case .signal: wakeups.signal()
        case .startThread: Thread.detachNewThread { self.work() }
        }
    }

    private func work() -> Never {
        ThreadName.set(name)
        while true {
            if let piece = state.withLock({ $0.pop() }) {
                piece.run()
            } else {
                wakeups.wait()
            }
        }
    }
}

/// The line of a ``WorkQueue`` and the count of its threads.
struct WorkQueueState<Piece: Sendable>: Sendable {
    enum Wakeup: Sendable {
        /// Every thread is busy, or a guest is in its place; one of them will come by.
        case none
        /// Wake one that sleeps.
        case signal
        case startThread
    }

    let width: Int
    var line = PriorityQueue<Piece>()
    private var threads = 0
    private var sleeping = 0
    /// Threads of others that do a piece of this queue's work.
    private var guests = 0

    init(width: Int) {
        self.width = width
    }

    mutating func push(_ piece: Piece, at priority: ImagePriority) -> (PriorityQueue<Piece>.Ticket, Wakeup) {
        let ticket = line.push(piece, at: priority)
        return (ticket, wakeup())
    }

    /// What a thread does next; with `nil` it counts as asleep until a signal.
    mutating func pop() -> Piece? {
        guard let piece = line.pop() else {
            sleeping += 1
            return nil
        }
        return piece
    }

    /// Counts another thread as one of this queue's, if one of these could begin at once.
    mutating func enter() -> Bool {
        guard hasRoom, line.isEmpty else { return false }
        guests += 1
        return true
    }

    /// Whoever got in line meanwhile gets the guest's place.
    mutating func leave() -> Wakeup {
        guests -= 1
        return line.isEmpty ? .none : wakeup()
    }

    private var hasRoom: Bool { threads - sleeping + guests < width }

    private mutating func wakeup() -> Wakeup {
        guard hasRoom else { return .none }
        if sleeping > 0 {
            sleeping -= 1
            return .signal
        }
        threads += 1
        return .startThread
    }
}

extension WorkQueue {
    /// Runs `find` on this queue and then, if it found something, `make` on another, at the priority of `job`, and waits
    /// for both without blocking.
    ///
    /// The second piece runs on the thread of the first when `next` has room, and else gets in line where the first
    /// ends: changes of thread are a good part of what a picture from disk costs beside its decoding.
    ///
    /// - Returns: `nil` when nothing was found.
    /// - Throws: what either throws, or ``TintypeError/Code/cancelled`` when the job was cancelled before its turn.
    package func run<Found: Sendable, Value: Sendable>(
        for job: JobContext, _ find: @escaping @Sendable () throws(TintypeError) -> Found?, then next: WorkQueue,
        _ make: @escaping @Sendable (Found) throws(TintypeError) -> Value
    ) async throws(TintypeError) -> Value? {
        try await waitForTurn(for: job) { position, resume in
            switch Result(catching: find) {
            case .failure(let error): resume(.failure(error))
            case .success(nil): resume(.success(nil))
            case .success(let found?):
                let work = QueuedWork(
                    run: { resume(Result { () throws(TintypeError) -> Value? in try make(found) }) },
                    cancel: { resume(.failure(.cancelled)) })
                if !next.runHere({ position.isCancelled ? work.cancel() : work.run() }) {
                    position.push(work, to: next)
                }
            }
        }
    }
}
