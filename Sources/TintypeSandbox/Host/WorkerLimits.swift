import CTintypeSandbox
import Foundation
import TintypeCore

/// The memory and the processor time to which the kernel limits a worker. Programs with a sanitizer have no limits, nor
/// have workers that are no processes (0).
struct WorkerLimits {
    /// The private memory in bytes.
    private(set) var memory = 0
    /// The processor time of the whole life of the worker.
    private var seconds = 0

    /// Has the kernel limit the memory of a worker that decodes nothing yet.
    static func limitMemory(of process: pid_t, _ byteCount: Int) throws(TintypeError) {
        guard !tintype_has_sanitizer(), tintype_process_limit(process, UInt64(byteCount), 0) != 0 else { return }
        throw .noWorker("its memory cannot be limited", errno)
    }

    /// Sets the limits, if they have changed.
    ///
    /// - Returns: `false` if the kernel refuses, for example because the worker has ended.
    mutating func set(memory: Int, seconds: Int, of process: pid_t) -> Bool {
        guard Self.apply(to: process), memory != self.memory || seconds != self.seconds else { return true }
        (self.memory, self.seconds) = (memory, seconds)
        return tintype_process_limit(process, UInt64(memory), UInt64(seconds)) == 0
    }

    /// Returns the processor time, in seconds since a worker was started, at which the kernel ends it. Well beyond the
    /// time limit, which the host enforces.
    ///
    /// - Parameter threads: The number of threads that decode at once.
    static func processorSeconds(of process: pid_t, _ time: Duration, threads: Int) -> Int {
        guard apply(to: process) else { return 0 }
        let used = Int(tintype_process_seconds(process).rounded(.up))
        return used + threads * (2 * Int(min(time.components.seconds, 1 << 30)) + 2)
    }

    /// Returns the private memory of a worker as the kernel limits it, and its stack, in bytes.
    static func dataBytes(of process: pid_t) -> Int {
        guard apply(to: process) else { return 0 }
        guard let text = try? String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8),
            let pages = text.split(separator: " ").dropFirst(5).first.flatMap({ Int($0) })
        else { return .max }
        return pages * Int(getpagesize())
    }

    private static func apply(to process: pid_t) -> Bool { !tintype_has_sanitizer() && process > 0 }
}
