import Foundation

/// Threads for work that blocks or computes, so that Swift's cooperative threads never wait for a file or a codec.
///
/// At most `width` pieces run at once, the most urgent first. Work whose job is cancelled before its turn never starts.
/// The threads are started when they are first needed and last as long as the process.
package final class WorkQueue: WaitingLine {
    /// For files: wider than a small machine, since a disk answers several at once.
    package static let disk = WorkQueue(
        name: "tintype.disk", width: max(4, ProcessInfo.processInfo.activeProcessorCount))
    /// For codecs and pixels: as wide as the machine.
    package static let pixels = WorkQueue(name: "tintype.pixels", width: ProcessInfo.processInfo.activeProcessorCount)

    private let name: String
    private let state: Locked<WorkQueueState<WaitingPiece>>
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
        try await turn(for: job) { resume in resume(Result(catching: body)) }
    }

    /// Runs `body` on a thread of this queue when its turn comes; no one waits.
    package func enqueue(at priority: ImagePriority, _ body: @escaping @Sendable () -> Void) {
        _ = push(WaitingPiece(run: body, drop: {}), at: priority)
    }

    // MARK: The line

    package func push(_ piece: WaitingPiece, at priority: ImagePriority) -> WaitingTicket? {
        let (ticket, wakeup) = state.withLock { $0.push(piece, at: priority) }
        switch wakeup {
        case .none: break
        case .signal: wakeups.signal()
        case .startThread: startThread()
        }
        return ticket
    }

    package func move(_ ticket: WaitingTicket, to priority: ImagePriority) {
        state.withLock { $0.line.move(ticket, to: priority) }
    }

    package func drop(_ ticket: WaitingTicket) {
        state.withLock { $0.line.remove(ticket) }?.drop()
    }

    // MARK: The threads

    private func startThread() {
        Thread.detachNewThread { self.work() }
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
