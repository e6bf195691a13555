import Dispatch
import Foundation

/// The step that the calling thread takes next: a ``JobWorker`` that a job on this thread has resumed.
///
/// A job mostly ends with resuming the job that waits for it. On the same thread that costs nothing; on another one it
/// may cost a wakeup, and moves what both use between two cores.
///
/// The threads of queues take no such steps: they would still hold the result of their work when the last step resumes
/// the caller, whose next load then needs more memory.
enum NextStep {
    /// Runs work, and then the workers that it resumed, one after another.
    ///
    /// Only for threads of Dispatch, because a step may be longer than a caller's thread should be held up. The work
    /// must not wait for a worker that it resumes.
    static func run(_ work: () -> Void) {
        guard let key else { return work() }
        let outer = pthread_getspecific(key)
        var next: JobWorker?
        withUnsafeMutablePointer(to: &next) { next in
            pthread_setspecific(key, next)
            work()
            while let worker = next.pointee {
                next.pointee = nil
                worker.runNext()
            }
            pthread_setspecific(key, outer)
        }
    }

    /// Leaves the thread of a caller. A job must await this before asynchronous code of a program runs, which may
    /// block: it began on the thread of its caller, and may not have been suspended since.
    ///
    /// A task that yields is not enough: if another thread resumes it early, it is not suspended at all.
    static func leaveThread() async { await withTaskExecutorPreference(OtherThreads.shared) {} }

    /// Makes a worker with a waiting partial task the next step of the calling thread.
    ///
    /// - Returns: `false` if the thread has a next step already, or is none that takes any.
    static func offer(_ worker: JobWorker) -> Bool {
        guard let key, let next = pthread_getspecific(key)?.assumingMemoryBound(to: JobWorker?.self),
            next.pointee == nil
        else { return false }
        next.pointee = worker
        return true
    }

    /// The address of the next step of each thread.
    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key, nil) == 0 ? key : nil
    }()
}

/// Runs every partial task on a thread of Dispatch, and not before it is enqueued.
private final class OtherThreads: TaskExecutor {
    static let shared = OtherThreads()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        DispatchQueue.global().async { NextStep.run { job.runSynchronously(on: self.asUnownedTaskExecutor()) } }
    }
}
