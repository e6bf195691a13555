import Foundation
import TintypeCore

/// The thread that owns the sockets of all servers of this module. It starts at first use and never ends, so that a
/// gate or a delay that ends after its server has stopped still finds its thread.
///
/// A global actor, because the compiler then proves that connections, and the closures of tests that answer requests,
/// are used on this thread alone. Nothing isolated to it may block.
@globalActor
package actor SocketLoop {
    package static let shared = SocketLoop()

    nonisolated let thread = SocketThread()

    package nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// Calls a closure on the thread, after what was passed to it earlier.
    package nonisolated static func execute(_ body: @escaping @SocketLoop () -> Void) {
        Task { @SocketLoop in body() }
    }
}

/// The executor of ``SocketLoop``.
///
/// It runs jobs in order. One of them is a task that polls the sockets: it runs once in every turn, and only it waits
/// for sockets, for a timer, or for the next job.
final class SocketThread: SerialExecutor {
    private struct State {
        var jobs: ArraySlice<UnownedJob> = []
        var polling: UnsafeContinuation<Void, Never>?
        /// Whether the thread waits, or is about to, and must be woken for a job.
        var isWaiting = false
    }

    private let state = Locked(State())
    let wakeup = Wakeup()

    init() {
        Thread.detachNewThread { [self] in run() }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let mustWake = state.withLock { state in
            defer { state.isWaiting = false }
            state.jobs.append(job)
            return state.isWaiting
        }
        if mustWake { wakeup.send() }
    }

    /// Suspends the task that polls until the next turn.
    func nextTurn() async {
        await withUnsafeContinuation { continuation in
            state.withLock { $0.polling = continuation }
        }
    }

    /// Announces that the thread will wait for sockets.
    ///
    /// - Returns: `false` if a job is there, and the thread must not wait.
    func beginWaiting() -> Bool {
        state.withLock { state in
            state.isWaiting = state.jobs.isEmpty
            return state.isWaiting
        }
    }

    func endWaiting() {
        state.withLock { $0.isWaiting = false }
    }

    private func run() {
        while true {
            let polling = state.withLock { state in
                defer { state.polling = nil }
                return state.polling
            }
            // Enqueues the next step of the task.
            polling?.resume()
            // One at a time: a job behind the step must be seen by it, so that it does not wait.
            if let job = state.withLock({ $0.jobs.popFirst() }) {
                job.runSynchronously(on: asUnownedSerialExecutor())
            } else if beginWaiting() {
                wakeup.wait()
            }
        }
    }
}

/// Ends the wait of a thread from another one.
struct Wakeup: Sendable {
    /// The end of a pipe that is readable after ``send()``.
    let descriptor: Int32
    private let input: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        pipe(&ends)
        for end in ends { SocketOptions.makeNonBlocking(end) }
        (descriptor, input) = (ends[0], ends[1])
    }

    func send() {
        var byte: UInt8 = 0
        // A full pipe wakes the thread as well.
        _ = write(input, &byte, 1)
    }

    /// Waits until ``send()`` was called.
    func wait() {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&entry, 1, -1)
        clear()
    }

    func clear() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(descriptor, &bytes, bytes.count) > 0 {}
    }
}
