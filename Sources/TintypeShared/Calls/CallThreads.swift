import Dispatch
import TintypeCore

/// Threads for the calls that a blocked thread waits for.
final class CallThreads: TaskExecutor {
    static let shared = CallThreads()

    /// Not a queue of Dispatch: a concurrent one shares its threads with Swift's cooperative pool.
    private let queue = WorkQueue(name: "tintype.shared", width: 2)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.enqueue(at: .high) { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// The answer that a blocked thread waits for.
final class BlockingAnswer<Value: Sendable>: Sendable {
    private let answer = Locked<Value?>(nil)
    private let arrival = DispatchSemaphore(value: 0)

    /// Sets the answer. Later ones are ignored.
    func arrive(_ value: Value) {
        let isFirst = answer.withLock { answer in
            guard answer == nil else { return false }
            answer = value
            return true
        }
        if isFirst { arrival.signal() }
    }

    /// Blocks the calling thread. `nil` if the answer has not arrived after `limit`.
    func wait(_ limit: Duration) -> Value? {
        // At most a day, so that the sum below cannot overflow.
        let (seconds, attoseconds) = min(max(limit, .zero), .seconds(86_400)).components
        let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        guard arrival.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success else { return nil }
        return answer.withLock { $0 }
    }
}
