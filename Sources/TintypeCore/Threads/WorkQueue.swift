import Foundation

/// Threads for work that blocks or computes, so that Swift's cooperative threads never wait for a file or a codec.
///
/// At most `width` items of work run at once. Work with the highest priority starts first; work whose job is cancelled
/// before its turn never starts. Threads start on first use and then stay until the process ends.
package final class WorkQueue: TurnQueue {
    /// The queue for files: twice as many threads as cores and at least 4, because a disk serves several reads at once,
    /// and because these threads may also run work of ``pixels``.
    package static let disk = WorkQueue(
        name: "tintype.disk", width: max(4, 2 * ProcessInfo.processInfo.activeProcessorCount))
    /// The pixel queue, for codecs and transforms: as many threads as cores.
    package static let pixels = WorkQueue(name: "tintype.pixels", width: ProcessInfo.processInfo.activeProcessorCount)

    /// The largest number of items of work that run at once.
    let width: Int
    private let name: String
    private let state: Locked<WorkQueueState<QueuedWork>>
    private let wakeups = DispatchSemaphore(value: 0)

    /// Creates a queue without threads.
    ///
    /// - Parameters:
    ///   - name: The name of its threads; the system keeps 15 bytes of it.
    ///   - width: The largest number of items of work that run at once; at least 1.
    package init(name: String, width: Int) {
        self.name = name
        self.width = max(1, width)
        state = Locked(WorkQueueState(width: self.width))
    }

    /// The number of items of work that wait for a thread.
    var waitingCount: Int { state.withLock { $0.queue.count } }

    /// Runs `body` on a thread of this queue, at the priority of `job`, and waits for it without blocking.
    ///
    /// - Throws: The error of `body`, or ``TintypeError/Code/cancelled`` if the job was cancelled before its turn.
    package func run<Value: Sendable>(
        for job: JobContext, _ body: @escaping @Sendable () throws(TintypeError) -> Value
    ) async throws(TintypeError) -> Value {
        try await waitForTurn(for: job) { _, resume in resume(Result(catching: body)) }
    }

    /// Runs `body` on a thread of this queue when its turn comes. Returns at once.
    package func enqueue(at priority: ImagePriority, _ body: @escaping @Sendable () -> Void) {
        _ = push(QueuedWork(run: body, cancel: {}), at: priority)
    }

    /// Runs `body` on the calling thread, which counts as a thread of this queue meanwhile.
    ///
    /// - Returns: `false` if `body` did not run, because it would have had to wait for its turn.
    func runHere(_ body: () -> Void) -> Bool {
        guard state.withLock({ $0.beginOnCaller() }) else { return false }
        defer { wake(state.withLock { $0.endOnCaller() }) }
        body()
        return true
    }

    /// Lends threads that have no work. See ``SpareThreads``.
    ///
    /// - Returns: The number of threads, at most `count`; 0 if work waits.
    func lend(atMost count: Int) -> Int { state.withLock { $0.lend(atMost: count) } }

    /// Ends the loan of threads.
    func takeBack(_ count: Int) { state.withLock { $0.lentCount -= count } }

    // MARK: Queue

    /// Adds work, and starts or wakes a thread for it if fewer than `width` are busy.
    package func push(_ work: QueuedWork, at priority: ImagePriority) -> QueueTicket? {
        let (ticket, wakeup) = state.withLock { $0.push(work, at: priority) }
        wake(wakeup)
        return ticket
    }

    /// Changes the priority of work that has not started.
    package func move(_ ticket: QueueTicket, to priority: ImagePriority) {
        state.withLock { $0.queue.move(ticket, to: priority) }
    }

    /// Removes work that has not started, and cancels it.
    package func cancel(_ ticket: QueueTicket) {
        state.withLock { $0.queue.remove(ticket) }?.cancel()
    }

    // MARK: Threads

    private func wake(_ wakeup: WorkQueueState<QueuedWork>.Wakeup) {
        switch wakeup {
        case .none: break
        case .signal: wakeups.signal()
        case .startThread: Thread.detachNewThread { self.runWork() }
        }
    }

    private func runWork() -> Never {
        ThreadName.set(name)
        while true {
            if let work = state.withLock({ $0.pop() }) {
                work.run()
            } else {
                wakeups.wait()
            }
        }
    }
}

/// The waiting work of a ``WorkQueue`` and the number of its threads.
struct WorkQueueState<Work: Sendable>: Sendable {
    /// The action that makes a thread take the work that was just added.
    enum Wakeup: Sendable {
        /// None: `width` threads are busy, and each takes more work when it is done.
        case none
        /// Wake a sleeping thread.
        case signal
        /// Start a thread.
        case startThread
    }

    let width: Int
    var queue = PriorityQueue<Work>()
    private var threadCount = 0
    private var sleepingCount = 0
    /// The number of foreign threads that run work of this queue.
    private var callerCount = 0
    /// The number of threads that were lent. They do not keep work waiting that comes later.
    var lentCount = 0

    init(width: Int) {
        self.width = width
    }

    mutating func push(_ work: Work, at priority: ImagePriority) -> (PriorityQueue<Work>.Ticket, Wakeup) {
        let ticket = queue.push(work, at: priority)
        return (ticket, wakeup())
    }

    /// Removes and returns the next work for a thread; `nil` makes the thread count as asleep until it is signalled.
    mutating func pop() -> Work? {
        guard let work = queue.pop() else {
            sleepingCount += 1
            return nil
        }
        return work
    }

    /// Counts a foreign thread as busy if work would start at once.
    ///
    /// - Returns: `false` if work would have to wait.
    mutating func beginOnCaller() -> Bool {
        guard hasRoom, queue.isEmpty else { return false }
        callerCount += 1
        return true
    }

    /// Lends threads that would idle, and that were not lent before.
    ///
    /// - Returns: The number of threads, at most `count`.
    mutating func lend(atMost count: Int) -> Int {
        guard queue.isEmpty else { return 0 }
        let lent = max(0, min(count, width - (threadCount - sleepingCount + callerCount + lentCount)))
        lentCount += lent
        return lent
    }

    /// Ends what ``beginOnCaller()`` began.
    ///
    /// - Returns: The wakeup for work that was added meanwhile and found no free thread.
    mutating func endOnCaller() -> Wakeup {
        callerCount -= 1
        return queue.isEmpty ? .none : wakeup()
    }

    private var hasRoom: Bool { threadCount - sleepingCount + callerCount < width }

    private mutating func wakeup() -> Wakeup {
        guard hasRoom else { return .none }
        if sleepingCount > 0 {
            sleepingCount -= 1
            return .signal
        }
        threadCount += 1
        return .startThread
    }
}

extension WorkQueue {
    /// Runs `find` on this queue and then passes its result to `make` on another queue, without blocking the caller.
    ///
    /// `make` runs on the same thread if `next` has room, and otherwise enters that queue. Apart from decoding, changes
    /// of thread are a large part of the cost of an image from disk.
    ///
    /// - Parameters:
    ///   - job: The job whose priority and cancellation apply to both.
    ///   - find: Returns the argument of `make`, or `nil` to end without calling it.
    ///   - next: The queue of `make`.
    ///   - make: Returns the value.
    /// - Returns: The value of `make`, or `nil` if `find` returned `nil`.
    /// - Throws: The error of either closure, or ``TintypeError/Code/cancelled`` if the job was cancelled before a
    ///   turn.
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

/// The name of the calling thread, as debuggers and `ps -L` show it. Linux only; elsewhere setting it has no effect.
///
/// Foundation's `Thread.name` does not reach the system on Linux, and the C library's function needs a feature macro.
/// The kernel offers the name as the file `/proc/thread-self/comm` (proc(5)).
package enum ThreadName {
    /// Sets the name. The kernel keeps its first 15 bytes.
    package static func set(_ name: String) {
        guard let stream = fopen("/proc/thread-self/comm", "w") else { return }
        fputs(name, stream)
        fclose(stream)
    }
}
