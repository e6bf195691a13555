import Foundation

/// Threads for work that blocks or computes, so that Swift's cooperative threads never wait for a file or a codec.
///
/// At most `width` pieces run at once, the most urgent first. Work whose job is cancelled before its turn never starts.
/// The threads are started when they are first needed and last as long as the process.
package final class WorkQueue: Sendable {
    /// For files: wider than a small machine, since a disk answers several at once.
    package static let disk = WorkQueue(name: "tintype.disk", width: max(4, ProcessInfo.processInfo.activeProcessorCount))
    /// For codecs and pixels: as wide as the machine.
    package static let pixels = WorkQueue(name: "tintype.pixels", width: ProcessInfo.processInfo.activeProcessorCount)

    package typealias Ticket = PriorityQueue<Piece>.Ticket

    /// Work that waits for its turn: exactly one of the two is called.
    package struct Piece: Sendable {
        let run: @Sendable () -> Void
        let drop: @Sendable () -> Void
    }

    private let name: String
    private let state: Locked<WorkQueueState<Piece>>
    private let wakeups = DispatchSemaphore(value: 0)

    package init(name: String, width: Int) {
        self.name = name
        state = Locked(WorkQueueState(width: max(1, width)))
    }

    /// Runs `body` on a thread of this queue, at the priority of `job`, and waits for it without blocking.
    ///
    /// - Throws: what `body` throws, or ``TintypeError/Code/cancelled`` when the job was cancelled before its turn.
    package func run<Value: Sendable>(
        for job: JobContext, _ body: @escaping @Sendable () throws(TintypeError) -> Value
    ) async throws(TintypeError) -> Value {
        try job.checkCancelled()
        let place = WorkPlace(queue: self, job: job)
        let follower = job.addFollower(place)
        defer { job.removeFollower(follower) }
        let result: Result<Value, TintypeError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                place.take(
                    Piece(
                        run: { continuation.resume(returning: Result(catching: body)) },
                        drop: { continuation.resume(returning: .failure(.cancelled)) }))
            }
        } onCancel: {
            place.leave()
        }
        return try result.get()
    }

    /// Runs `body` on a thread of this queue when its turn comes; no one waits.
    package func enqueue(at priority: ImagePriority, _ body: @escaping @Sendable () -> Void) {
        _ = push(Piece(run: body, drop: {}), at: priority)
    }
}

// MARK: - The line

extension WorkQueue {
    func push(_ piece: Piece, at priority: ImagePriority) -> Ticket {
        let (ticket, wakeup) = state.withLock { $0.push(piece, at: priority) }
        switch wakeup {
        case .none: break
        case .signal: wakeups.signal()
        case .startThread: startThread()
        }
        return ticket
    }

    func move(_ ticket: Ticket, to priority: ImagePriority) {
        state.withLock { $0.line.move(ticket, to: priority) }
    }

    func drop(_ ticket: Ticket) {
        state.withLock { $0.line.remove(ticket) }?.drop()
    }

    private func startThread() {
        let thread = Thread { self.work() }
        thread.name = name
        thread.start()
    }

    private func work() -> Never {
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
        /// Every thread is busy; one of them will come by.
        case none
        /// Wake one that sleeps.
        case signal
        case startThread
    }

    let width: Int
    var line = PriorityQueue<Piece>()
    private var threads = 0
    private var sleeping = 0

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

    private mutating func wakeup() -> Wakeup {
        if sleeping > 0 {
            sleeping -= 1
            return .signal
        }
        guard threads < width else { return .none }
        threads += 1
        return .startThread
    }
}
