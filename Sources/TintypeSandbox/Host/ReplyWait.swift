import CTintypeSandbox
import Foundation
import TintypeCore

/// Waits for a reply: until bytes arrive, the time is over, or a cancelled decode has not ended in time.
final class ReplyWait {
    private(set) var failure: WorkerProcess.Failure?
    private(set) var privateBytes = 0
    private let process: pid_t
    private let statistics: String
    /// The time of the last sample, or of the start.
    private var sampled: Duration
    /// The largest number of threads. Drawing text in many fonts needs 460.
    private static let maximumThreads = 1000
    private let start = TimeSource.system.uptime()
    let time: Duration
    private let flag: CancelFlag
    private let isCancelled: () -> Bool
    private var cancelled: Duration?

    init(_ process: pid_t, time: Duration, _ flag: CancelFlag, _ isCancelled: @escaping () -> Bool) {
        (self.process, statistics) = (process, "/proc/\(process)/statm")
        sampled = start
        (self.time, self.flag, self.isCancelled) = (time, flag, isCancelled)
    }

    /// Returns whether bytes have arrived; `false` after a ``failure``.
    func wait(for descriptor: Int32) -> Bool {
        while true {
            var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let count = Foundation.poll(&poll, 1, WorkerProcess.pollingInterval)
            guard check(isIdle: count == 0) else { return false }
            if count > 0 { return true }
        }
    }

    /// Checks the time, the cancellation and, now and then, the memory and the threads of the worker.
    ///
    /// - Parameter isIdle: Whether the worker was silent for the polling interval. One that always sends is checked as
    ///   well.
    /// - Returns: `false` after a ``failure``.
    func check(isIdle: Bool = false) -> Bool {
        let now = TimeSource.system.uptime()
        if now - start > time {
            failure = .timedOut
        } else if let cancelled {
            if now - cancelled > WorkerProcess.grace { failure = .cancelled }
        } else if isCancelled() {
            flag.set(true)
            cancelled = now
        }
        if isIdle || now - sampled > .milliseconds(Int(WorkerProcess.pollingInterval)) {
            sampled = now
            sampleMemory()
            if tintype_process_thread_count(process) > Self.maximumThreads { failure = .violated("too many threads") }
        }
        return failure == nil
    }

    /// The largest memory that the kernel reports of a child may be that of its parent, so it is of no use here.
    private func sampleMemory() {
        guard let text = try? String(contentsOfFile: statistics, encoding: .utf8) else { return }
        let pages = text.split(separator: " ").prefix(3).compactMap { Int($0) }
        if pages.count == 3 { privateBytes = max(privateBytes, (pages[1] - pages[2]) * Int(getpagesize())) }
    }
}
